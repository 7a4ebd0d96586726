import { invalid } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'
import { bodyOf } from './body.ts'
import type { FormFields } from './form.ts'
import { assertStorable, readJson, wholeOf } from './json-body.ts'
import { collectLists } from './text-form.ts'

/** Reads a body that is not a multipart form: JSON or, in a dialect, a URL-encoded form. */
export function readValues(request: FastifyRequest, maxBytes: number): Promise<unknown> {
  const body = bodyOf(request, maxBytes)
  return isUrlForm(request) ? readUrlForm(body) : readJson(body)
}

/**
 * Returns whether the body is a URL-encoded form, as scripts for CVAT send it (`requests.post(url, data=...)`). It is
 * refused from browser pages, because any site could submit such a form and sign a user in to another account.
 */
export const isUrlForm = ({
  dialect,
  headers,
}: Pick<FastifyRequest, 'dialect' | 'headers'>): boolean =>
  dialect !== null &&
  headers.origin === undefined &&
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')

async function readUrlForm(body: AsyncIterable<Buffer>): Promise<FormFields> {
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams((await wholeOf(body)).toString())) {
    if (fields.has(name)) throw invalid({ [name]: 'This field may be given only once.' })
    fields.set(name, value)
  }
  const values = collectLists(Object.fromEntries(fields))
  assertStorable(values, [])
  return values
}
