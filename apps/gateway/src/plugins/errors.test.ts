import { changedMeanwhile, conflict, DomainError, invalid, invalidText } from '@reticle/kit'
import { errorCodes } from 'fastify'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { frameworkErrors } from './errors.ts'

const thrown = new Map<number, DomainError>([
  [1, invalid({ name: 'Too short.' }, 'too_short')],
  [2, invalidText('Unknown format specified for the request', 'format_unknown')],
  [3, conflict('A request is running.', { code: 'request_running', body: { rq_id: 'action=x' } })],
  [4, changedMeanwhile('The object was changed by someone else.', '"7-a"', 'annotations_changed')],
  [5, new DomainError('unavailable', 'The database does not answer.')],
  [6, new DomainError('too_many', 'Busy.', { retry_after: 7 })],
  [7, new DomainError('invalid', 'Format is disabled', { code: 'format_disabled' })],
  [8, new DomainError('gone', 'This endpoint is no longer supported.')],
  [9, new DomainError('internal', 'Internal server error')],
  [10, invalid({ name: 'Too short.' })],
  [11, new DomainError('invalid', 'x', { body: { shapes: [{}, { points: ['Too few.'] }] } })],
])

const { send } = await startTestGateway({
  services: {
    projects: {
      async getProject({ id }) {
        throw thrown.get(id) ?? new Error('not expected')
      },
    },
  },
})

/** Errors of services as HTTP responses (docs/spec/rest.md#errors). */
test.each([
  [1, 400, 'too_short', { name: ['Too short.'] }],
  [2, 400, 'format_unknown', ['Unknown format specified for the request']],
  [3, 409, 'request_running', { rq_id: 'action=x' }],
  [7, 405, 'format_disabled', expect.objectContaining({ detail: 'Format is disabled' })],
  [8, 410, 'endpoint_gone', expect.objectContaining({ code: 'endpoint_gone' })],
  [9, 500, 'internal', expect.objectContaining({ detail: 'Internal server error' })],
])('error %i gets status %i with the code %s', async (id, status, code, body) => {
  const answer = await send(`/api/projects/${id}`)
  expect(answer.status).toBe(status)
  expect(answer.headers).toMatchObject({
    'x-error-code': code,
    'content-type': 'application/vnd.service+json',
    'cache-control': 'no-store',
  })
  expect(answer.json()).toEqual(body)
})

test('a body with a detail has a code, a request id and additional fields', async () => {
  const headers = { 'x-request-id': 'request-12' }
  expect((await send('/api/projects/4', { headers })).json()).toEqual({
    detail: 'The object was changed by someone else.',
    code: 'annotations_changed',
    request_id: 'request-12',
    etag: '"7-a"',
  })
})

test.each([
  [5, 503, '2'],
  [6, 429, '7'],
])('error %i gets status %i and the time to wait before a retry', async (id, status, seconds) => {
  const answer = await send(`/api/projects/${id}`)
  expect(answer).toMatchObject({ status, headers: { 'retry-after': seconds } })
})

describe('for a client that accepts RFC 9457', () => {
  const headers = {
    accept: 'application/problem+json, application/json',
    'x-request-id': 'request-12',
  }

  test('an error in a list element is reported as a pointer and as text', async () => {
    const answer = await send('/api/projects/11', { headers })
    expect(answer.json()).toMatchObject({
      detail: 'shapes[1].points: Too few.',
      errors: [{ pointer: '/shapes/1/points', message: 'Too few.' }],
    })
  })

  test('a field error points to its field', async () => {
    const answer = await send('/api/projects/10?x=1', { headers })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.json()).toEqual({
      type: 'urn:service:error:invalid',
      title: 'Validation failed',
      status: 400,
      detail: 'name: Too short.',
      instance: '/api/projects/10',
      code: 'invalid',
      request_id: 'request-12',
      errors: [{ pointer: '/name', code: 'invalid', message: 'Too short.' }],
    })
  })

  test('an error with its own body keeps its fields', async () => {
    expect((await send('/api/projects/3', { headers })).json()).toMatchObject({
      title: 'Conflict',
      detail: 'A request is running.',
      rq_id: 'action=x',
    })
  })

  test.each([
    ['/api/nowhere', 404],
    ['/api/projects/%zz', 400],
  ])('%s gets a problem document as well', async (path, status) => {
    const answer = await send(path, { headers })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.json()).toMatchObject({ status })
  })
})

/** Errors of the framework's own routing, parsing and validation, which are not used. */
const neverThrown = [
  'FST_ERR_NOT_FOUND',
  'FST_ERR_VALIDATION',
  'FST_ERR_CTP_BODY_TOO_LARGE',
  'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
  'FST_ERR_CTP_EMPTY_JSON_BODY',
  'FST_ERR_CTP_INVALID_JSON_BODY',
  'FST_ERR_CTP_INSTANCE_ALREADY_STARTED',
  'FST_ERR_INVALID_URL',
  'FST_ERR_ROUTE_MISSING_CONTENT_TYPE',
  'FST_ERR_ROUTE_MISSING_CONTENT',
]

test('every error of the framework is mapped to a response', () => {
  const refusals = Object.entries(errorCodes).filter(([, Refusal]) => statusOf(new Refusal()) < 500)
  const known = [...Object.keys(frameworkErrors), ...neverThrown]
  expect(refusals.map(([name]) => name).sort()).toEqual(known.sort())
})

const statusOf = ({ statusCode = 500 }: { statusCode?: number }) => statusCode
