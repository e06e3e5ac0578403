import tseslint from "typescript-eslint";

/** Sinks that turn text into markup or code: the page never uses them, so text from a link can't become HTML. */
const noMarkupFromText = [
  "innerHTML",
  "outerHTML",
  "insertAdjacentHTML",
  "dangerouslySetInnerHTML",
  "srcdoc",
  "createContextualFragment",
  "setHTMLUnsafe",
].flatMap((name) => [
  { selector: `MemberExpression[property.name='${name}']`, message: `${name} makes markup from text.` },
  { selector: `JSXAttribute[name.name='${name}']`, message: `${name} makes markup from text.` },
]);

/** Words that a reader sees stand in the catalogue, so that they can stand there in a second language too. */
const noWordsOutsideTheCatalogue = [
  "JSXText[value=/[A-Za-z]{2}/]:not([value=/^\\s*Strand\\s*$/])",
  "JSXAttribute[name.name=/^(aria-label|aria-description|title|alt|placeholder)$/] > Literal[value=/[A-Za-z]{2}/]",
  "JSXAttribute[name.name=/^(aria-label|aria-description|title|alt|placeholder)$/] TemplateElement[value.raw=/[A-Za-z]{2}/]",
  "JSXExpressionContainer > Literal[value=/[A-Za-z]{2}.* /]",
].map((selector) => ({ selector, message: "A sentence of the page stands in src/messages.ts." }));

const noMarkup = [
  ...noMarkupFromText,
  {
    selector: "CallExpression[callee.object.name='document'][callee.property.name=/^write(ln)?$/]",
    message: "document.write makes markup from text.",
  },
];

/** The page answers in effects, workers and timers: a flow that looks once, or waits for a time, fails by chance. */
const noLookingOnce = [
  {
    selector: "CallExpression[callee.object.name='assert'] AwaitExpression",
    message: "Wait for it with `eventually`, or say with `expectStill` that it can't come any more.",
  },
  {
    selector: "CallExpression[callee.property.name='waitForTimeout']",
    message: "Wait for a condition: how long it takes differs from machine to machine.",
  },
];

/** Flows run in node, and hand functions to the page. */
const browserFlowGlobals = Object.fromEntries(
  [
    "process",
    "URL",
    "document",
    "window",
    "navigator",
    "location",
    "performance",
    "setTimeout",
    "localStorage",
  ].map((name) => [name, "readonly"]),
);

export default tseslint.config(
  { ignores: ["dist", "pkg", "node_modules", "src/generated"] },
  {
    files: ["src/**/*.{ts,tsx}"],
    extends: [...tseslint.configs.strictTypeChecked],
    ignores: ["src/offline/service-worker.ts"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ["src/offline/service-worker.ts"],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: "./tsconfig.offline.json", tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    files: ["vite.config.ts", "vite.snippet.config.ts", "build/**/*.ts", "test/**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: "./tsconfig.tools.json", tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // node:test's `test` gives a promise that the runner itself awaits.
      "@typescript-eslint/no-floating-promises": "off",
    },
  },
  {
    files: ["**/*.mjs"],
    languageOptions: { globals: browserFlowGlobals },
    extends: [...tseslint.configs.recommended],
  },
  {
    rules: {
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-syntax": ["error", ...noMarkup],
      eqeqeq: "error",
      "max-lines": ["error", 1000],
    },
  },
  {
    files: ["**/*.flow.mjs"],
    rules: { "no-restricted-syntax": ["error", ...noMarkup, ...noLookingOnce] },
  },
  {
    files: ["src/**/*.{ts,tsx}", "build/**/*.ts", "test/**/*.ts", "vite.config.ts", "vite.snippet.config.ts"],
    rules: {
      // Numbers stand in many of the page's sentences.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  {
    files: ["src/**/*.tsx"],
    rules: { "no-restricted-syntax": ["error", ...noMarkup, ...noWordsOutsideTheCatalogue] },
  },
);
