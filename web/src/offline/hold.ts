import { cacheName } from "./names";

/** Says for as long as this page is open that it needs the files of its build. */
export function holdBuild(): void {
  if (!("locks" in navigator)) return;
  const name = cacheName(new URL("./", location.href).href, __BUILD_ID__);
  const left = () => new Promise<never>(() => undefined);
  navigator.locks.request(name, { mode: "shared" }, left).catch(() => undefined);
}
