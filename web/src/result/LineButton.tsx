import type { Program } from "../app/program";
import { messages } from "../messages";

/** Where something stands in the program; a click goes there. */
export function LineButton({ program, line }: { program: Program; line: number }) {
  return (
    <button
      type="button"
      class="card-line"
      title={messages.goToLine}
      onClick={() => {
        program.goToLine(line);
      }}
    >
      {messages.line(program.lineNumber(line))}
    </button>
  );
}
