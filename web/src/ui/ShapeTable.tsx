import type { ShapeDiff } from "../engine/contract";
import { messages } from "../messages";
import { ScrollBox } from "./ScrollBox";
import { plainWords, Words } from "./Words";

const SIGNS = { same: "", differs: "≠", missing: "+", stretches: "↔" } as const;

/** Two shapes lined up, a column for each pair of axes; `speech` says the same in words. */
export function ShapeTable({ diff, speech }: { diff: ShapeDiff; speech: string }) {
  return (
    <div class="shape-figure">
      <p class="shape-title">
        <Words text={diff.title} />
      </p>
      <ScrollBox label={plainWords(diff.title)}>
        <ShapeRows diff={diff} speech={speech} />
      </ScrollBox>
      {diff.note !== "" && (
        <p class="shape-note">
          <Words text={diff.note} />
        </p>
      )}
    </div>
  );
}

function ShapeRows({ diff, speech }: { diff: ShapeDiff; speech: string }) {
  return (
    <table class="shape-diff" aria-label={speech}>
      <tbody>
        {diff.rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            {row.axes.map((axis, column) => (
              <td key={column} class={`is-${diff.marks[column] ?? "same"}`}>
                {axis ?? ""}
              </td>
            ))}
          </tr>
        ))}
        <tr class="shape-marks">
          <th scope="row">
            <span class="hidden-text">{messages.columns}</span>
          </th>
          {diff.marks.map((mark, column) => (
            <td key={column} class={`is-${mark}`}>
              <span aria-hidden="true">{SIGNS[mark]}</span>
              <span class="hidden-text">{messages.columnMarks[mark]}</span>
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}
