import type { Playground } from "../app/playground";
import { messages } from "../messages";

/** Where something stands in the program; a click goes there. */
export function LineButton({ playground, line }: { playground: Playground; line: number }) {
  return (
    <button
      type="button"
      class="card-line"
      title={messages.goToLine}
      onClick={() => {
        playground.goToLine(line);
      }}
    >
      {messages.line(line)}
    </button>
  );
}
