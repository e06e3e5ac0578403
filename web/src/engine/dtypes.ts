/** The element types of the language. */

/** PyTorch's names of them. */
export const TORCH_DTYPES = {
  bool: "torch.bool",
  u8: "torch.uint8",
  i8: "torch.int8",
  i16: "torch.int16",
  i32: "torch.int32",
  i64: "torch.int64",
  f16: "torch.float16",
  bf16: "torch.bfloat16",
  f32: "torch.float32",
  f64: "torch.float64",
} as const;

export type Dtype = keyof typeof TORCH_DTYPES;

export function isDtype(name: unknown): name is Dtype {
  return typeof name === "string" && Object.hasOwn(TORCH_DTYPES, name);
}

export function isFloat(dtype: string): boolean {
  return /^b?f\d/.test(dtype);
}

/** Whole numbers; bool isn't one. */
export function isWhole(dtype: string): boolean {
  return /^[iu]\d/.test(dtype);
}

/** The fewest digits that tell the number from its neighbours in its dtype, as a number of doubles. */
export function shortest(value: number, dtype: string): number {
  if (dtype === "f16") return Number(value.toPrecision(5));
  if (dtype === "bf16") return Number(value.toPrecision(4));
  if (dtype !== "f32") return value;
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}
