/**
 * Every sentence of the page, in one place, so that a second language is a second object of this form. What a snippet
 * says before anything is fetched for it stands in `snippet/element-messages.ts`, which weighs nothing.
 */
import { formatBytes, formatCount, formatMilliseconds, formatSingle } from "./result/format-number";

const many = (count: number, one: string, more: string) =>
  count === 1 ? `1 ${one}` : `${formatCount(count)} ${more}`;

type Range = { min: number | null; max: number | null } | null;
interface Extent {
  low: number;
  high: number;
}

function between(range: Range): string {
  if (range?.min === null || range?.max === null || range === null) return "";
  return `, between ${formatSingle(range.min)} and ${formatSingle(range.max)}`;
}

function ordinal(count: number): string {
  const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };
  const ending = endings[new Intl.PluralRules("en", { type: "ordinal" }).select(count)];
  return `${formatCount(count)}${ending ?? "th"}`;
}

/** Where a run was longer than its record, what is said is said of its beginning. */
function stepCount(count: number, cut: boolean): string {
  const steps = many(count, "step", "steps");
  return cut ? `the first ${steps}` : steps;
}

export const messages = {
  editorLabel: "Strand program",
  editorDescription: "Tab indents. Press Escape, then Tab, to leave the editor.",
  programsLabel: "Programs",
  viewsLabel: "Views of the program",
  partsLabel: "Parts of the page",
  examples: "Examples",
  gallery: "The gallery",
  galleryAbout: "All of these as pictures",
  recent: "Recent",
  noRecent: "Texts you edit are kept here, in this browser.",
  recentHint: "The last 20 texts, kept in this browser only.",
  run: "Run",
  runLabel: "Run the program (Ctrl+Enter)",
  runDear: (seconds: number, bytes: number) =>
    `Run · about ${formatMilliseconds(seconds * 1000)}${bytes > 0 ? `, ${formatBytes(bytes)}` : ""}`,
  stop: "Stop",
  stopLabel: "Stop the run (Ctrl+Enter)",
  share: "Share",
  theme: { system: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },
  tabs: { code: "Code", result: "Result", torch: "PyTorch", steps: "Steps" },
  more: "More",
  format: "Format",
  formatKey: "Shift+Alt+F",
  formatKeyMac: "⇧⌥F",
  downloadAbout: "The program as a file",
  reference: "Reference",
  referenceAbout: "The language, page by page",
  forget: "Forget everything on this device",
  forgetAbout: "Texts, settings and the offline copy",
  forgetAsk: (texts: number) =>
    `${texts === 0 ? "" : `${many(texts, "text goes", "texts go")} for good. `}Click once more to forget it all`,
  filesLeft: "Texts and settings are forgotten. The page's files couldn't be removed.",
  forgotten: "Forgotten. Nothing of Strand is kept here.",
  build: (id: string) => `Build ${id}`,
  offline: {
    none: "",
    ready: " · ready offline",
    newer: " · a newer one with the next visit",
    forgotten: "",
  },
  dockLabel: "On the keyboard",
  keysLabel: "Characters",
  keyTab: "Indent",
  keyUndo: "Undo",
  nextProblem: "Next problem",
  placeAmong: (at: number, all: number) => `${at}/${all}`,
  fixWithType: (title: string, type: string) => `${title}   gives ${type}`,
  apply: "apply",
  columns: "The columns",
  columnMarks: { same: "the same", differs: "different", missing: "missing", stretches: "stretches" },
  fix: "Fix:",
  gives: (type: string) => `gives ${type}`,
  applyFix: (title: string) => `apply: ${title}`,
  drawnLabel: (code: string, line: number) => `${code}, line ${line}`,
  closeDrawing: "Close the drawing",
  shareProblem: "Copy a link to this",
  problems: "Problems",
  noProblems: "No problems, for every size",
  noProblemsFor: (names: string) => `No problems, for every ${names}`,
  problemCount: (errors: number, warnings: number, hints: number) =>
    [
      errors > 0 ? many(errors, "error", "errors") : "",
      warnings > 0 ? many(warnings, "warning", "warnings") : "",
      hints > 0 ? many(hints, "hint", "hints") : "",
    ]
      .filter((part) => part !== "")
      .join(", "),
  fixes: (count: number) => many(count, "fix", "fixes"),
  showProblem: "Show it",
  goToLine: "Go to the line in the program",
  loading: "Loading the engine …",
  checking: "Checking …",
  runningFor: (milliseconds: number) => `Running for ${(milliseconds / 1000).toFixed(1)} s`,
  ranIn: (milliseconds: number, steps: number, cut: boolean, bytes: number) =>
    [
      formatMilliseconds(milliseconds),
      stepCount(steps, cut),
      ...(bytes > 0 ? [formatBytes(bytes)] : []),
    ].join(" · "),
  stopped: "Stopped. The values below are from before.",
  stoppedEmpty: "Stopped before the program gave its values.",
  stoppedShort: "Stopped",
  crashed: (message: string, build: string) =>
    `The engine failed and was replaced; your text is untouched. Build ${build}: ${message}`,
  incomplete: (reason: string) =>
    `A part of the engine couldn't be fetched (${reason}). It is tried again when needed.`,
  noAnswer: (milliseconds: number) => `no answer for ${milliseconds / 1000} s`,
  paused: "The engine failed twice on this text, so it isn't checked by itself any more.",
  checkAgain: "Check it once more",
  sizesLabel: "Sizes of the axes",
  sizeOf: (name: string) => `Size of ${name}`,
  sliderOf: (name: string) => `Size of ${name}, slider`,
  resetSizes: "as declared",
  fillLabel: "arguments",
  fill: { index: "numbered: x[2, 1] is 2.1", normal: "random: normal, seed 0" },
  wrongSize: (most: number) => `a whole number from 1 to ${most.toLocaleString("en-US")}`,
  staleSizes: "from before the sizes changed",
  aboutCode: (code: string) => `What ${code} means`,
  staleSince: (line: number | null) =>
    line === null ? "from an earlier text" : `from before line ${line} changed`,
  skipped: (name: string, why: string) => `${name} wasn't run: ${why}.`,
  notRunYet: "Not run yet.",
  notRunLink: "A program from a link runs when you say so, or once you change it.",
  notRunDear: "This program is dear, so it runs only when you say so.",
  notRunErrors: "Nothing to show until the errors are mended.",
  nothingToShow: "This program has no functions and shows no values.",
  nothingToShowHint: "An expression on a line of its own shows its value.",
  externsFrom: (file: string) => `extern fn runs functions of ${file}, a module of this site.`,
  externsRefused: (given: string) => `The functions of ${given} aren't loaded: they must lie on this site.`,
  output: "Output",
  unsent: (count: number) => `… and ${formatCount(count)} more that a page can't show`,
  trueCount: (count: number, all: number) => `${formatCount(count)} of ${formatCount(all)} true`,
  line: (line: number | null) => (line === null ? "in a hidden line" : `line ${line}`),
  result: "result",
  copyValue: "Copy as text",
  downloadNpy: "Download .npy",
  copied: "Copied",
  copyRefused: "The browser refused the clipboard.",
  valuesGone: "These values were in the run that ended. Run again to see other parts of them.",
  numbers: "The numbers",
  placeWord: "place",
  columnWord: "column",
  frameWord: "frame",
  valueWord: "value",
  countWord: "how many",
  play: "Play",
  pause: "Pause",
  everyOf: (step: number) => `every ${ordinal(step)} is drawn`,
  heatLabel: (name: string, rows: number, columns: number, summary: Range) =>
    `Heat map of ${name}, ${many(rows, "row", "rows")} and ${many(columns, "column", "columns")}${between(summary)}`,
  imageLabel: (name: string, rows: number, columns: number, summary: Range) =>
    `Image of ${name}, ${formatCount(columns)} wide and ${formatCount(rows)} high${between(summary)}`,
  framesLabel: (name: string, count: number, rows: number, columns: number) =>
    `${many(count, "frame", "frames")} of ${name}, each ${formatCount(columns)} wide and ${formatCount(rows)} high`,
  frameLabel: (name: string, at: number, count: number) => `Frame ${at} of ${formatCount(count)} of ${name}`,
  keyLabel: (isHeat: boolean) => (isHeat ? "from the lowest to the highest colour" : "from black to white"),
  linesLabel: (name: string, count: number, axis: string, size: number, low: number, high: number) =>
    `${many(count, "line", "lines")} of ${name} along ${axis}, ${many(size, "place", "places")}${between({ min: low, max: high })}`,
  barsLabel: (name: string, axis: string, size: number, low: number, high: number) =>
    `${many(size, "bar", "bars")} of ${name} along ${axis}${between({ min: low, max: high })}`,
  histLabel: (name: string, bins: number, low: number, high: number, most: number) =>
    `Histogram of ${name} in ${many(bins, "bin", "bins")}${between({ min: low, max: high })}, at most ${formatCount(most)} in one`,
  scatterLabel: (
    name: string,
    count: number,
    x: string,
    across: Extent,
    y: string,
    up: Extent,
    groups: number,
  ) =>
    [
      `${many(count, "point", "points")} of ${name}`,
      `${x} from ${formatSingle(across.low)} to ${formatSingle(across.high)}`,
      `${y} from ${formatSingle(up.low)} to ${formatSingle(up.high)}`,
      groups > 0 ? `in ${many(groups, "group", "groups")}` : "",
    ]
      .filter((part) => part !== "")
      .join(", "),
  emptyValue: "no elements",
  nanCount: (count: number) => `${formatCount(count)} NaN`,
  infiniteCount: (count: number) => `${formatCount(count)} infinite`,
  positionOn: (axis: string) => `Position on ${axis}`,
  omitted: "more values between",
  firstOf: (shown: number, all: number) => `the first ${formatCount(shown)} of ${formatCount(all)}`,
  lineCount: (count: number) => many(count, "line", "lines"),
  copyTorch: "Copy",
  copyTorchLabel: "Copy the PyTorch text",
  takeLabel: "What to copy",
  takeModule: "the module",
  takeInputs: "with the current sizes and inputs bound",
  takeInputsRun: "Run the program first: its inputs are made then.",
  torchImports: (imports: readonly string[]) =>
    imports.length === 0 ? "Imports nothing." : `Imports: ${imports.join(", ")}`,
  chainsTitle: "How each chain is written, and why",
  lowering: { plain: "plain", vmap: "vmap", masked: "masked" },
  torchLabel: "PyTorch text",
  torchErrors: "The text is written once the errors are mended.",
  noSteps: "No steps yet: run the program.",
  stepsStale: "The steps of an earlier text. Run to see those of this one.",
  stepsSummary: (steps: number, cut: boolean, bytes: number, views: number) =>
    [
      stepCount(steps, cut),
      `${formatBytes(bytes)} made`,
      ...(views > 0 ? [`${many(views, "view", "views")} that copied nothing`] : []),
      "CPU",
    ].join(" · "),
  script: "The script",
  moreSteps: (left: number) => `Show more of ${many(left, "further step", "further steps")}`,
  firstNan: (step: number) => `The first NaN comes with step ${formatCount(step)}.`,
  goThere: "go there",
  loopOver: (shape: string) => `loop ${shape}`,
  stridesRead: "reads by",
  stridesAre: "strides",
  broadcastStride: "stride 0: the same element again and again, as broadcasting has it",
  nothingCopied: "nothing copied",
  stepKind: {
    one: "one loop",
    strided: "strided",
    fused: "fused",
    compiled: "compiled",
    gather: "by index",
    matmul: "product",
    axis: "along an axis",
    view: "view",
    scalar: "number",
  } as Record<string, string>,
  stepKindAbout: {
    one: "One loop over memory from end to end.",
    strided: "Loops over the inner axis, with strides outside.",
    fused: "Several operations in one pass over memory.",
    compiled: "One pass over memory, by a loop that was compiled for it.",
    gather: "Elements fetched or placed by their index.",
    matmul: "A matrix product in blocks that fit the cache.",
    axis: "A sort, running sum or draw along one axis.",
    view: "Another layout of the same memory: no element moved.",
    scalar: "Numbers without any array.",
  } as Record<string, string>,
  memoryTitle: "In memory",
  memoryOf: "The memory of",
  theValue: "The value, its last axis across",
  theBlock: (bytes: number) => `Its block of ${formatBytes(bytes)}, byte by byte`,
  memoryLayout: (shape: string, strides: string, offset: number, item: number) =>
    `shape ${shape}, strides ${strides} bytes, from byte ${offset}, ${item} bytes an element`,
  inOrder: "in C order: the last axis lies side by side",
  inFortranOrder: "in Fortran order: the first axis lies side by side",
  notInOrder: "neither in C nor in Fortran order",
  isView: "a view: it shows memory that another value was made with",
  ownsMemory: "made with its own memory",
  sharesWith: (names: string) => `in the same block: ${names}`,
  cellHolds: (byte: number, elements: number) =>
    elements === 0
      ? `byte ${byte}: none of its elements`
      : `byte ${byte}: ${many(elements, "element", "elements")}`,
  lookAtElement: "Point at an element to see where it lies.",
  memoryTooLarge: (most: number) => `Values of at most ${most} elements are drawn cell by cell.`,
  shareTitle: "Share this program",
  linkCopied: "Link copied",
  linkReady: "Copy this link",
  linkSize: (length: number) =>
    length <= 2000
      ? `${formatCount(length)} characters, fits any chat`
      : `${formatCount(length)} characters, cut off by some chats: a file is safer`,
  linkHolds: (lines: number, sizes: string) =>
    `Holds: the program (${many(lines, "line", "lines")}), ${sizes === "" ? "" : `sizes ${sizes}, `}the selection, the open tab. Not: pasted data, other programs, anything about you.`,
  linkPrivate:
    "Nothing was uploaded. Whoever has the link can read the text; your later edits don't change it.",
  linkLabel: "The link",
  linkTooLong: (length: number) =>
    `A link to this program would have ${formatCount(length)} characters; many programs cut those off. Send it as a file.`,
  download: "Download .strand",
  linkTitle: "A Strand program",
  markdown: "Markdown",
  markdownWithError: "Markdown with the error",
  picture: "Picture of the program",
  pictureOfError: "Picture of the error",
  forIssue: "For an issue",
  snippet: "Snippet",
  qrCode: "QR code",
  copiedAs: (label: string) => `Copied: ${label}`,
  copyRefusedText: "The browser refused the clipboard. This is the text, selected:",
  pictureCopied: "The picture is copied: paste it into a chat or a document.",
  pictureSaved: "The picture is saved as a file, because the clipboard takes none here.",
  pictureTitle: "A Strand program",
  pictureFoot: (address: string) => `Strand · ${address}`,
  qrLabel: "QR code of the link",
  qrTooLong: (length: number) =>
    `The link has ${formatCount(length)} characters: too many for a QR code that a phone can read off a screen.`,
  leaveHint: "Esc, then Tab leaves the program",
  hiddenProblem: "This is in a hidden line, which belongs to the page.",
  snippetForbidden:
    "This program can be read, but not run here: the page's Content-Security-Policy must allow 'wasm-unsafe-eval' in script-src.",
  openInPlayground: "Open in the Strand playground",
  issueTitle: "A Strand program",
  issueVersions: (language: string, build: string, agent: string) =>
    `Strand ${language}, build ${build}, ${agent}`,
  issueTorch: "PyTorch text:",
  otherBrowser: "another browser",
  send: "Send …",
  close: "Close",
  fromLink: "From a link. Checked, not run.",
  fromLinkRun: "From a link.",
  fromLinkOtherVersion: (version: string, own: string) =>
    `Written for Strand ${version}; this page has ${own}, so it may check differently.`,
  ownTextKept: "Your own text is kept:",
  backToIt: "back to it",
  damaged: {
    checksum: "This link is damaged: a part of it was changed or cut off on the way. Ask for it again.",
    form: "This link can't be read: a part of it is missing or was changed on the way. Ask for it again.",
    newer: "This link was made by a newer Strand than this page. Reload the page, or ask for the text.",
    "too-large": "This link holds more text than a link may. Ask for the program as a file.",
  },
  damagedKept: "The text below is your own.",
  storageDenied: "This browser keeps nothing for this page: a reload loses your text.",
  storageFull: "The browser's storage is full: your latest edits aren't kept.",
  engineFailed: "Reload",
  partMissing: "This part of the page couldn't be fetched. Reload the page to try again.",
  engineUnavailable: (reason: string) => `The engine couldn't be loaded (${reason}).`,
  mixedBuilds: (page: string, script: string, engine: string) =>
    `This page is of build ${page}, its script of ${script} and its engine of ${engine}. Reload to get all three of one build.`,
  coachingLabel: "A first step",
  coaching: (line: number) => `Break it: replace line ${line} by`,
  doIt: "do it",
  spokenPlace: (line: number | null) => (line === null ? ", in a hidden line." : `, line ${line}.`),
  spokenError: (code: string, line: number, message: string) => `Error ${code}, line ${line}. ${message}.`,
  announceErrors: (count: number, first: string) =>
    count === 1 ? first : `${count} errors. First: ${first}`,
  announceFixed: (line: number, lines: number) =>
    lines < 2 ? `Fixed: line ${line} changed.` : `Fixed: lines ${line} to ${line + lines - 1} changed.`,
  unformatted: (line: number, code: string) =>
    `Not formatted: line ${line} can't be read (${code}). Mend it first.`,
  announceClean: "No problems.",
  announceRan: "Values are up to date.",
  announceStopped: "Stopped.",
};
