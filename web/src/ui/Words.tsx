/** A sentence of the engine: what it sets between backticks is a piece of a program. */
export function Words({ text }: { text: string }) {
  const parts = text.split("`");
  // One backtick alone is a character.
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

/** The same for what can hold no elements. */
export function plainWords(text: string): string {
  return text.replaceAll("`", "");
}
