/** What is copied of the PyTorch text, and what that imports. */
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../app/sharing";
import type { FunctionInfo } from "../engine/contract";
import { messages } from "../messages";
import { CopyIcon } from "../ui/icons";
import type { Taken } from "./taken";

const NOTE_MS = 2000;

function CopyButton({ text }: { text: string }) {
  const [note, setNote] = useState<string | null>(null);
  useEffect(() => {
    if (note === null) return;
    const timer = setTimeout(() => {
      setNote(null);
    }, NOTE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [note]);
  return (
    <button
      type="button"
      class="button small torch-copy"
      aria-label={messages.copyTorchLabel}
      onClick={() => {
        void copyText(text).then((copied) => {
          setNote(copied ? messages.copied : messages.copyRefused);
        });
      }}
    >
      <CopyIcon />
      <span role="status">{note ?? messages.copyTorch}</span>
    </button>
  );
}

interface TakeBarProps {
  take: Taken;
  functions: readonly FunctionInfo[];
  /** The function that is taken alone, or null. */
  only: string | null;
  onOnly: (name: string | null) => void;
  bound: boolean;
  /** Whether a run has made inputs for this text. */
  canBind: boolean;
  onBound: (bound: boolean) => void;
}

export function TakeBar({ take, functions, only, onOnly, bound, canBind, onBound }: TakeBarProps) {
  return (
    <div class="take">
      <select
        class="take-what"
        aria-label={messages.takeLabel}
        value={only ?? ""}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onOnly(value === "" ? null : value);
        }}
      >
        <option value="">{messages.takeModule}</option>
        {functions.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <CopyButton text={take.text} />
      {functions.length > 0 && (
        <label class="take-inputs" title={canBind ? "" : messages.takeInputsRun}>
          <input
            type="checkbox"
            checked={bound}
            onChange={(event) => {
              onBound(event.currentTarget.checked);
            }}
          />
          <span>{messages.takeInputs}</span>
        </label>
      )}
      {bound && !canBind && <p class="stale-note take-note">{messages.takeInputsRun}</p>}
      <p class="take-imports">
        {messages.torchImports(take.imports.map((line) => line.replace(/^import /, "")))}
      </p>
    </div>
  );
}
