/** Error of an operation whose request was cancelled or is held by another worker; its work is discarded. */
export class LeaseLost extends Error {}

/** Error for unusable input: one sentence for the user. */
export class UnusableInput extends Error {}
