export type RecordFields = Record<string, unknown>

/**
 * Translates one record into a dialect.
 * @param record Its links are absolute.
 * @param base URL of the API for the client, such as `http://host/as/cvat/api`
 * @param userAgent Header of that name, empty when missing: newer clients expect other responses.
 */
export type Change = (record: RecordFields, base: string, userAgent: string) => RecordFields

export function isFields(given: unknown): given is RecordFields {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}
