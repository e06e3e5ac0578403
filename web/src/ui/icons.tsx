/** The page's pictures, drawn on a 16 × 16 grid in the colour of the text beside them. */
import type { ComponentChildren } from "preact";

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const PlayIcon = () => (
  <Icon>
    <path d="M4.5 3v10l8-5z" fill="currentColor" />
  </Icon>
);
export const PauseIcon = () => (
  <Icon>
    <path d="M4.5 3h2.5v10H4.5zM9 3h2.5v10H9z" fill="currentColor" />
  </Icon>
);
export const StopIcon = () => (
  <Icon>
    <rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor" />
  </Icon>
);
export const ChevronIcon = () => (
  <Icon>
    <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />
  </Icon>
);
export const ShareIcon = () => (
  <Icon>
    <path d="M6.5 9.5 9.5 6.5M7 4.8l1.4-1.4a3 3 0 0 1 4.2 4.2L11.2 9M9 11.2l-1.4 1.4a3 3 0 0 1-4.2-4.2L4.8 7" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Icon>
);
export const SunIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="2.75" />
    <path d="M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9" />
  </Icon>
);
export const MoonIcon = () => (
  <Icon>
    <path d="M13.2 9.8A5.8 5.8 0 0 1 6.2 2.8a5.8 5.8 0 1 0 7 7z" />
  </Icon>
);
export const SystemIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" />
  </Icon>
);
export const CopyIcon = () => (
  <Icon>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 3.5v-.2a.8.8 0 0 0-.8-.8H3.3a.8.8 0 0 0-.8.8v6.4c0 .4.4.8.8.8h.2" />
  </Icon>
);
export const DownloadIcon = () => (
  <Icon>
    <path d="M8 2.5v7m0 0 3-3m-3 3-3-3M2.5 12.5h11" />
  </Icon>
);
export const CodeIcon = () => (
  <Icon>
    <path d="M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5" />
  </Icon>
);
export const GridIcon = () => (
  <Icon>
    <rect x="2.5" y="2.5" width="11" height="11" rx="1.5" />
    <path d="M2.5 6.2h11M2.5 9.8h11M6.2 2.5v11M9.8 2.5v11" />
  </Icon>
);
export const TextIcon = () => (
  <Icon>
    <path d="M3 4h10M3 8h7M3 12h9" />
  </Icon>
);
export const StepsIcon = () => (
  <Icon>
    <path d="M2.5 13.5h3.7V10h3.6V6.5h3.7V3" />
  </Icon>
);
export const StrandMark = () => (
  <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#14213d" />
    <g fill="none" stroke-linecap="round" stroke-width="3">
      <path d="M7 10c6 0 6 12 18 12" stroke="#7cc4ff" />
      <path d="M7 16h18" stroke="#dfe7f5" />
      <path d="M7 22c12 0 12-12 18-12" stroke="#ffb26b" />
    </g>
  </svg>
);
export const NextIcon = () => (
  <Icon>
    <path d="m6.5 4.5 3.5 3.5-3.5 3.5" />
  </Icon>
);
export const TabIcon = () => (
  <Icon>
    <path d="M2 8h9M8 5l3 3-3 3M13.5 4v8" />
  </Icon>
);
export const UndoIcon = () => (
  <Icon>
    <path d="M3.5 6.5h6a3.2 3.2 0 0 1 0 6.4H6M6 4 3.5 6.5 6 9" />
  </Icon>
);
export const MoreIcon = () => (
  <Icon>
    <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2.2" />
  </Icon>
);
