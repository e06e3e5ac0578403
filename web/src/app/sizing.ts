/** The sizes that the reader chose: what a run with them costs, and which texts they are for. */
import { computed, signal } from "@preact/signals";
import type { Checked } from "../engine/check-client";
import type { Cost } from "../engine/contract";
import type { Checking } from "./checking";
import type { Running } from "./running";

export class Sizing {
  /** What Run would cost, with the sizes chosen; null where that can't be told, or not yet. */
  readonly cost = computed(() => {
    const checked = this.checking.latest.value;
    if (checked === null) return null;
    const chosen = this.running.chosen.value;
    if (Object.keys(chosen).length === 0) return checked.check.cost;
    const resized = this.resized.value;
    if (resized?.sizes !== chosen) return null;
    return resized.text === checked.text ? resized.cost : null;
  });
  /** How many prices are being asked for. */
  readonly asking = signal(0);

  /** What a text costs with chosen sizes. */
  private readonly resized = signal<{
    text: string;
    sizes: Record<string, number>;
    cost: Cost | null;
  } | null>(null);
  /** Names of the functions of the last text without errors. */
  private functions: ReadonlySet<string> = new Set();
  /** The text that a size was last chosen for. */
  private sizedText: string | null = null;

  constructor(
    private readonly checking: Checking,
    private readonly running: Running,
  ) {}

  choose(name: string, value: number, text: string): void {
    this.running.chosen.value = { ...this.running.chosen.value, [name]: value };
    this.sizedText = text;
  }

  /** Another text is opened, which may bring sizes with it. */
  opened(sizes: Record<string, number>): void {
    this.functions = new Set();
    this.running.chosen.value = sizes;
  }

  /** Takes away the sizes that belong to a text before this one, which has no errors. */
  keepFor({ text, check }: Checked): void {
    const names = new Set(check.sizes.map(({ name }) => name));
    const functions = new Set(check.functions.map(({ name }) => name));
    const isAnother =
      this.functions.size > 0 &&
      functions.size > 0 &&
      ![...functions].some((name) => this.functions.has(name));
    this.functions = functions;
    const chosen = Object.entries(this.running.chosen.value);
    const isFor = !isAnother || this.sizedText === text;
    const left = chosen.filter(([name]) => names.has(name) && isFor);
    if (left.length < chosen.length) this.running.chosen.value = Object.fromEntries(left);
  }

  /** Asks what the checked text costs with the chosen sizes, then calls, unless either is another by then. */
  async price(then: () => void): Promise<void> {
    const { chosen } = this.running;
    const sizes = chosen.value;
    const checked = this.checking.latest.value;
    if (checked === null || checked.check.cost === null || Object.keys(sizes).length === 0) {
      then();
      return;
    }
    const { text } = checked;
    this.asking.value++;
    try {
      const cost = await this.checking.cost(text, sizes);
      if (chosen.value !== sizes || this.checking.latest.value?.text !== text) return;
      this.resized.value = { text, sizes, cost };
      then();
    } finally {
      this.asking.value--;
    }
  }
}
