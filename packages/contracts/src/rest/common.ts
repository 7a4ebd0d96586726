import { z } from 'zod'

/**
 * Parsers for input of clients: numbers as text, words for yes and no, trimming. See docs/spec/rest.md#content-types.
 */

const largestId = 2_147_483_647

/** Text that the database can store: without NUL and unpaired surrogates. */
const cleanText = z
  .string()
  .refine((given) => !given.includes('\0') && !/\p{Surrogate}/u.test(given), {
    error: 'Null characters and unpaired surrogates are not allowed.',
  })

const numberAsText = (given: unknown) => (typeof given === 'number' ? String(given) : given)

/** Accepts trimmed text of `min` to `max` characters. */
export const text = (max: number, min = 0) =>
  z.preprocess(numberAsText, cleanText.trim().min(min).max(max))

/** Accepts text without trimming: passwords, secrets, markdown. */
export const rawText = (max: number) => z.preprocess(numberAsText, cleanText.max(max))

/** An integer of 32 bits; digits in a string are accepted. */
export const integer = z.preprocess(
  (given) => (typeof given === 'string' && /^\s*-?\d+\s*$/.test(given) ? Number(given) : given),
  z
    .int()
    .min(-largestId - 1)
    .max(largestId),
)

const yesWords = ['true', 't', '1']
const noWords = ['false', 'f', '0']

/** A number; decimal text is accepted. */
export const number = z.preprocess(
  (given) =>
    typeof given === 'string' && /^\s*-?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(given)
      ? Number(given)
      : given,
  z.number(),
)

/** Parses words for yes and no in any case, and 1 and 0. */
const wordFlag = (yes: readonly string[], no: readonly string[]) =>
  z.preprocess((given) => {
    const isWord = typeof given === 'string' || given === 1 || given === 0
    const word = isWord ? String(given).trim().toLowerCase() : ''
    if (yes.includes(word)) return true
    return no.includes(word) ? false : given
  }, z.boolean())

/** A boolean in a body. */
export const flag = wordFlag(yesWords, noWords)

/** A boolean in a query, which accepts more words. */
export const queryFlag = wordFlag([...yesWords, 'yes', 'y', 'on'], [...noWords, 'no', 'n', 'off'])

/** UTC in ISO 8601 with milliseconds and `Z`. */
export const timestamp = z.iso.datetime().meta({ format: 'date-time' })

/** A path such as `/projects/7` between services; the gateway makes it absolute. */
export const link = z.string().meta({ link: true, format: 'uri' })
export const isLink = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.link === true

/** Bytes that pass through; in a response they come with a head (`BytesAnswer` of `call/context.ts` in kit). */
export const bytes = z.custom<AsyncIterable<Uint8Array>>().meta({ bytes: true })

/** Marks bytes of JSON that is passed on unparsed; the OpenAPI document shows the schema `shown`. */
export const bytesOf = (shown: z.ZodType): typeof bytes => bytes.meta({ bytes: true, shown })

/** Marks bytes that are not JSON, with their media types or ranges of them. */
export const bytesAs = (...types: string[]): typeof bytes => bytes.meta({ bytes: true, types })
export function typesOf(schema: z.core.$ZodType): string[] | undefined {
  return z.array(z.string()).safeParse(z.globalRegistry.get(schema)?.types).data
}

export function shownAs(schema: z.core.$ZodType): z.ZodType | undefined {
  const shown = z.globalRegistry.get(schema)?.shown
  return shown instanceof z.ZodType ? shown : undefined
}

export const nothing = z.undefined()

export const pathId = z
  .string()
  .regex(/^[1-9]\d{0,9}$/)
  .transform(Number)
  .pipe(z.int().max(largestId))
export const idParams = z.object({ id: pathId })

/** Builds the envelope of a list. */
export const page = <const R extends z.ZodType>(results: R, id: string) =>
  z
    .object({
      count: z.int(),
      next: link.nullable(),
      previous: link.nullable(),
      results: z.array(results),
    })
    .meta({ id })

/** `page`, `page_size` and `sort` as text; `list/` in kit parses them. */
export const listQuery = {
  page: z.string().optional(),
  page_size: z.string().optional(),
  sort: z.string().optional(),
}

/** Accepts a simple filter by equality; an empty text counts as absent. */
export const filter = <const S extends z.ZodType>(schema: S) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional())

/** The header `If-Match` of a conditional request (RFC 9110 13.1.1), unparsed. */
export const ifMatch = z.object({ if_match: z.string().max(1024).optional() })
