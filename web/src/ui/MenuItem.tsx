import type { ComponentChildren } from "preact";

interface ItemWords {
  title: string;
  about?: ComponentChildren;
}

function Lines({ title, about, isCode = false }: ItemWords & { isCode?: boolean }) {
  return (
    <>
      <span class={`menu-title ${isCode ? "code" : ""}`}>{title}</span>
      {about !== undefined && <span class="menu-about">{about}</span>}
    </>
  );
}

/** Something to do, in a menu's list; a title that `isCode` is a piece of a program. */
export function MenuItem({
  act,
  asks = false,
  ...words
}: ItemWords & { isCode?: boolean; asks?: boolean; act: () => void }) {
  return (
    <li>
      <button type="button" class={`menu-item ${asks ? "is-asking" : ""}`} onClick={act}>
        <Lines {...words} />
      </button>
    </li>
  );
}

/** Another page of the site, in a menu's list. */
export function MenuLink({ href, ...words }: ItemWords & { href: string }) {
  return (
    <li>
      <a class="menu-item" href={href}>
        <Lines {...words} />
      </a>
    </li>
  );
}
