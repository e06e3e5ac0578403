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
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ["vite.config.ts", "build/**/*.ts", "test/**/*.ts"],
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
      "no-restricted-syntax": [
        "error",
        ...noMarkupFromText,
        {
          selector: "CallExpression[callee.object.name='document'][callee.property.name=/^write(ln)?$/]",
          message: "document.write makes markup from text.",
        },
      ],
      eqeqeq: "error",
      "max-lines": ["error", 1000],
    },
  },
  {
    files: ["src/**/*.{ts,tsx}", "build/**/*.ts", "test/**/*.ts", "vite.config.ts"],
    rules: {
      // Numbers stand in many of the page's sentences.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
);
