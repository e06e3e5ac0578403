/** What a snippet says before anything is fetched for it; the other sentences come with those of the page. */
export const elementMessages = {
  run: "Run",
  loading: "Loading …",
  failed: "What makes this program live couldn't be fetched.",
  otherOrigin:
    "This program can be read, but not run here: the files of strand-snippet.js must lie on the page's own origin.",
};
