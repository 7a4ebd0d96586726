import { invalid } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'
import { bodyOf } from './body.ts'
import { assertStorable, readJson, wholeOf } from './json-body.ts'
import type { Fields } from './routes/form.ts'
import { listed } from './routes/text-form.ts'

/** The values of a body that is no multipart form: as JSON or, in a dialect, as a form of texts. */
export function readValues(request: FastifyRequest, maxBytes: number): Promise<unknown> {
  const body = bodyOf(request, maxBytes)
  return isUrlForm(request) ? readUrlForm(body) : readJson(body)
}

/**
 * A form of texts, as scripts for CVAT send it (`requests.post(url, data=...)`). Not from a page in a browser: any site could
 * have one sent, and sign somebody in as somebody else.
 */
export const isUrlForm = ({
  dialect,
  headers,
}: Pick<FastifyRequest, 'dialect' | 'headers'>): boolean =>
  dialect !== null &&
  headers.origin === undefined &&
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')

async function readUrlForm(body: AsyncIterable<Buffer>): Promise<Fields> {
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams((await wholeOf(body)).toString())) {
    if (fields.has(name)) throw invalid({ [name]: 'This field may be given only once.' })
    fields.set(name, value)
  }
  const values = listed(Object.fromEntries(fields))
  assertStorable(values, [])
  return values
}
