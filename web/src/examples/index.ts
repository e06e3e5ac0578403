import aboveTheAverage from "./above-the-average.strand?raw";
import attention from "./attention.strand?raw";
import iteratorChains from "./iterator-chains.strand?raw";
import liningUp from "./lining-up.strand?raw";
import runningSum from "./running-sum.strand?raw";
import scaleEveryRow from "./scale-every-row.strand?raw";

export interface Example {
  name: string;
  title: string;
  about: string;
  text: string;
}

export const openingProgram: Example = {
  name: "scale-every-row",
  title: "Scale every row",
  about: "A chain says it for one row, and does it for all",
  text: scaleEveryRow,
};

export const examples: readonly Example[] = [
  openingProgram,
  {
    name: "iterator-chains",
    title: "Five iterator chains",
    about: "Rows, softmax, a Gram matrix, a table, a filter",
    text: iteratorChains,
  },
  {
    name: "attention",
    title: "Attention, query by query",
    about: "Softmax over the keys, written for one query",
    text: attention,
  },
  {
    name: "above-the-average",
    title: "Above the average",
    about: "A filter's size has no name beforehand",
    text: aboveTheAverage,
  },
  {
    name: "running-sum",
    title: "A running sum",
    about: "What needs the element before stays a loop",
    text: runningSum,
  },
  {
    name: "lining-up",
    title: "An error worth seeing",
    about: "Axes that don't line up, and the fix",
    text: liningUp,
  },
];
