import { read, remove, write } from "./storage";

export type Theme = "system" | "light" | "dark";

export function storedTheme(): Theme {
  const value = read("localStorage", "theme");
  return value === "light" || value === "dark" ? value : "system";
}

export function storeTheme(theme: Theme): void {
  if (theme === "system") remove("localStorage", "theme");
  else write("localStorage", "theme", theme);
}

/** Whether the one-time suggestion to make an error was used or closed. */
export function coachingIsOver(): boolean {
  return read("localStorage", "coached") !== null;
}

export function endCoaching(): void {
  write("localStorage", "coached", "1");
}

/** How fast this machine's last runs were, in multiply-adds per second. */
export function storedRates(): number[] {
  const rates = (read("localStorage", "rates") ?? "").split(" ").map(Number);
  return rates.filter((rate) => Number.isFinite(rate) && rate > 0);
}

export function storeRates(rates: readonly number[]): void {
  write("localStorage", "rates", rates.map((rate) => Math.round(rate)).join(" "));
}
