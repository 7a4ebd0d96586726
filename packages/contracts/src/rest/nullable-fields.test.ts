import { expect, test } from 'vitest'
import { z } from 'zod'
import { restOperations } from '../api/index.ts'

const nullable = restOperations.flatMap(({ name, body }) => {
  if (!(body instanceof z.ZodObject)) return []
  const fields: [string, unknown][] = Object.entries(body.shape)
  return fields.flatMap(([key, field]) =>
    field instanceof z.ZodType && field.safeParse(null).data === null
      ? [{ place: `${name} ${key}`, field }]
      : [],
  )
})

test('bodies contain nullable fields', () => {
  expect(nullable.map(({ place }) => place)).toEqual(
    expect.arrayContaining([
      'createAccessToken expiry_date',
      'updateAccessToken expiry_date',
      'updateTask assignee_id',
      'updateTask project_id',
    ]),
  )
})

test.each(nullable)('$place: an empty text is not null', ({ field }) => {
  for (const text of ['', '  ']) expect(field.safeParse(text).data).not.toBeNull()
})
