import type { ApiResponse } from '../../support/client.ts'
import type { FuzzCall } from './calls.ts'
import type { ContentSchemas, OpenapiDocument } from './document.ts'

/** Returns the part of an answer that the document does not describe, or undefined. */
export function findMismatch(
  { operation, method }: Pick<FuzzCall, 'operation' | 'method'>,
  answer: ApiResponse,
  { misfit }: Pick<OpenapiDocument, 'misfit'>,
): string | undefined {
  const { status, text, body } = answer
  const content = operation.answers[String(status)]
  if (content === undefined) return `${status} is not documented`
  const wrong = findHeaderMismatch(answer)
  if (wrong !== undefined) return wrong
  if (text === '') return mayBeEmpty(operation, method, content) ? undefined : 'the body is empty'
  const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? ''
  const found = contentOf(content, type)
  if (!found) return `the media type ${type} is not documented for ${status}`
  if (!isJson.test(type)) return undefined
  if (body === undefined) return 'the body is no JSON'
  return misfit(found.schema, body) ?? (status >= 400 ? findErrorMismatch(answer) : undefined)
}

/** Errors are a detail with its code, or texts, by field or not, at any depth. See docs/spec/rest.md#errors. */
function findErrorMismatch({ headers, body }: ApiResponse): string | undefined {
  const isSame = (name: string, value: unknown) => headers.get(name) === value
  if (typeof body.detail !== 'string')
    return isTexts(body) ? undefined : 'the failure is neither a detail nor texts'
  const isConsistent = isSame('x-error-code', body.code) && isSame('x-request-id', body.request_id)
  return isConsistent ? undefined : 'the failure is not what its headers say'
}

function isTexts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'string'
  return Object.values(value).every(isTexts)
}

/** the OpenAPI document itself is not validated */
const isJson = /^application\/(?:(?!vnd\.oai)[\w.-]+\+)?json$/

function findHeaderMismatch({ status, headers }: ApiResponse): string | undefined {
  if (status >= 500 && status !== 503) return 'the server failed'
  if (!/^[\w-]{8,64}$/.test(headers.get('x-request-id') ?? '')) return 'X-Request-Id is missing'
  const isNamed = status < 400 || /^[a-z_]+$/.test(headers.get('x-error-code') ?? '')
  return isNamed ? undefined : 'X-Error-Code is missing'
}

/** Steps of an upload answer by headers alone, and an image is not read as text. */
function mayBeEmpty(
  { parameters }: FuzzCall['operation'],
  method: string,
  content: ContentSchemas,
): boolean {
  if (method === 'HEAD' || Object.keys(content).length === 0) return true
  return parameters.some(({ name }) => name.startsWith('Upload-'))
}

function contentOf(content: ContentSchemas, type: string): ContentSchemas[string] | undefined {
  const range = `${type.split('/', 1)[0]}/*`
  return content[type] ?? content[range]
}
