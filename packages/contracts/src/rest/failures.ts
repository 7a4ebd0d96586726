import { z } from 'zod'

/** Bodies of failures: `spec/api-annotations.md` 5.1 and 5.2. Members may stand beside the named ones, such as `etag`. */

const detailed = z
  .looseObject({
    detail: z.string(),
    /** As in `X-Error-Code`. */
    code: z.string(),
    request_id: z.string(),
  })
  .meta({ id: 'FailureDetail' })

/** Lists of texts by the names of fields; of a list that was sent a member for each of its items, at whatever depth. */
const ofFields = z
  .record(z.string(), z.unknown())
  .meta({ id: 'FailureOfFields', description: 'Lists of texts by the names of what is wrong' })

const texts = z.array(z.unknown()).meta({ id: 'FailureTexts' })

export const failure = z.union([detailed, ofFields, texts]).meta({ id: 'Failure' })

/** The same for who accepts `application/problem+json` (RFC 9457). */
export const problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    request_id: z.string(),
    /** What is wrong where, by JSON pointers into what was sent. */
    errors: z
      .array(z.object({ pointer: z.string(), code: z.string(), message: z.string() }))
      .optional(),
  })
  .meta({ id: 'Problem' })
