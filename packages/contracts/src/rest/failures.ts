import { z } from 'zod'

/** Bodies of failures. Additional members such as `etag` are possible. See docs/spec/rest.md#errors. */

const detailed = z
  .looseObject({
    detail: z.string(),
    /** As in `X-Error-Code`. */
    code: z.string(),
    request_id: z.string(),
  })
  .meta({ id: 'FailureDetail' })

/** Lists of messages by field; for a list, one member for each of its items, at any depth. */
const ofFields = z
  .record(z.string(), z.unknown())
  .meta({ id: 'FailureOfFields', description: 'Lists of messages by the names of invalid fields' })

const texts = z.array(z.unknown()).meta({ id: 'FailureTexts' })

export const failure = z.union([detailed, ofFields, texts]).meta({ id: 'Failure' })

/** Body for clients that accept `application/problem+json` (RFC 9457). */
export const problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    request_id: z.string(),
    /** Errors with their positions, as JSON pointers into the request body. */
    errors: z
      .array(z.object({ pointer: z.string(), code: z.string(), message: z.string() }))
      .optional(),
  })
  .meta({ id: 'Problem' })
