/** Serializer of answers: without one of its own the framework would add `charset=utf-8` to their media types. */
export const toJson = (value: unknown): string => JSON.stringify(value)
