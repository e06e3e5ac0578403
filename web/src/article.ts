/** Makes the programs of the written pages live: each can be edited and run where it stands. */
import "./style/article.css";

function tryHere(button: HTMLButtonElement): void {
  const link = button.dataset["try"] ?? "";
  const figure = button.closest("figure");
  if (figure === null) return;
  const frame = document.createElement("iframe");
  frame.className = "program-frame";
  frame.title = "The program in the playground";
  frame.src = `../?embedded#${link}`;
  figure.before(frame);
  figure.hidden = true;
  frame.focus();
}

for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-try]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    tryHere(button);
  });
}
