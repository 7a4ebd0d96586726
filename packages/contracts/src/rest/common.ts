import { z } from 'zod'

/** Readings of what clients send: `spec/api-workspace.md` 1.1 and 1.2 (numbers as text, yes/no words, trimming). */

const largestId = 2_147_483_647

/** Text that the database can hold: no NUL, no half of a surrogate pair. */
const cleanText = z
  .string()
  .refine((given) => !given.includes('\0') && !/\p{Surrogate}/u.test(given), {
    error: 'Null characters and unpaired surrogates are not allowed.',
  })

const numberAsText = (given: unknown) => (typeof given === 'number' ? String(given) : given)

/** Text, trimmed, of `min` to `max` characters. */
export const text = (max: number, min = 0) =>
  z.preprocess(numberAsText, cleanText.trim().min(min).max(max))

/** Text kept as it was sent: passwords, secrets, markdown. */
export const rawText = (max: number) => z.preprocess(numberAsText, cleanText.max(max))

/** A whole number of 32 bits; digits in a string count as one. */
export const integer = z.preprocess(
  (given) => (typeof given === 'string' && /^\s*-?\d+\s*$/.test(given) ? Number(given) : given),
  z
    .int()
    .min(-largestId - 1)
    .max(largestId),
)

const yesWords = ['true', 't', '1']
const noWords = ['false', 'f', '0']

/** A number, whole or not; decimal text counts as one. */
export const number = z.preprocess(
  (given) =>
    typeof given === 'string' && /^\s*-?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(given)
      ? Number(given)
      : given,
  z.number(),
)

/** Reads words for yes and no, in any case; 1 and 0 count as words. */
const spoken = (yes: readonly string[], no: readonly string[]) =>
  z.preprocess((given) => {
    const isWord = typeof given === 'string' || given === 1 || given === 0
    const word = isWord ? String(given).trim().toLowerCase() : ''
    if (yes.includes(word)) return true
    return no.includes(word) ? false : given
  }, z.boolean())

/** A yes or no in a body. */
export const flag = spoken(yesWords, noWords)

/** A yes or no in a query, which has more words for them (api-workspace 1.2). */
export const queryFlag = spoken([...yesWords, 'yes', 'y', 'on'], [...noWords, 'no', 'n', 'off'])

/** UTC, ISO 8601, milliseconds and `Z`. */
export const timestamp = z.iso.datetime().meta({ format: 'date-time' })

/** A path such as `/projects/7` inside; the gateway makes it absolute on its way out. */
export const link = z.string().meta({ link: true, format: 'uri' })
export const isLink = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.link === true

/** Bytes that pass through; as an answer they come with a head (`BytesAnswer` of the kit's `rpc/context.ts`). */
export const bytes = z.custom<AsyncIterable<Uint8Array>>().meta({ bytes: true })

/** Bytes of JSON that nobody parses on its way; the OpenAPI document shows it as `shown`. */
export const bytesOf = (shown: z.ZodType): typeof bytes => bytes.meta({ bytes: true, shown })

/** Bytes that are no JSON: their media types, or ranges of them. */
export const bytesAs = (...types: string[]): typeof bytes => bytes.meta({ bytes: true, types })
export function typesOf(schema: z.core.$ZodType): string[] | undefined {
  return z.array(z.string()).safeParse(z.globalRegistry.get(schema)?.types).data
}

export function shownAs(schema: z.core.$ZodType): z.ZodType | undefined {
  const shown = z.globalRegistry.get(schema)?.shown
  return shown instanceof z.ZodType ? shown : undefined
}

/**
 * Noted beside the `id` of a record without a date of its last change: its entity tag is made of what it says. Records that
 * have `updated_date` need no note.
 */
export const tagged = { tagged: true } as const
export const isTagged = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.tagged === true

export const nothing = z.undefined()

export const pathId = z
  .string()
  .regex(/^[1-9]\d{0,9}$/)
  .transform(Number)
  .pipe(z.int().max(largestId))
export const idParams = z.object({ id: pathId })

/** The envelope of a list: `spec/service-api.md`, paginated list envelope. */
export const page = <const R extends z.ZodType>(results: R, id: string) =>
  z
    .object({
      count: z.int(),
      next: link.nullable(),
      previous: link.nullable(),
      results: z.array(results),
    })
    .meta({ id })

/** `page`, `page_size` and `sort` as sent (api-workspace 1.5); the kit's `list/` gives them their meaning. */
export const listQuery = {
  page: z.string().optional(),
  page_size: z.string().optional(),
  sort: z.string().optional(),
}

/** A simple filter: equality; sent empty it is absent. */
export const filter = <const S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional())

/** `If-Match` of a conditional request (RFC 9110 13.1.1), as sent. */
export const ifMatch = z.object({ if_match: z.string().max(1024).optional() })
