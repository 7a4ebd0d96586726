import { ApiError, ConnectionError } from '@reticle/sdk'
import { expect, test } from 'vitest'
import { toFailure } from './to-failure.ts'

const { signal } = new AbortController()

const refused = (given: { operation: string; status: number; code: string; detail: string }) =>
  toFailure(
    new ApiError({ fields: {}, request_id: null, retry_after: null, body: {}, ...given }),
    signal,
  )

test('an error about a missing object contains the operation', () => {
  const given = { operation: 'getTask', status: 404, code: 'not_found', detail: 'Not found.' }
  expect(refused(given)).toMatchObject({ ending: 'missing', message: 'getTask: Not found.' })
  const detail = 'acme organization does not exist.'
  expect(refused({ ...given, detail }).message).toBe(detail)
})

test('an error about an unknown format has a hint to the list of formats', () => {
  const detail = "Unknown input format 'COCO'"
  const given = { operation: 'importTaskAnnotations', status: 400, code: 'format_unknown', detail }
  expect(refused(given)).toMatchObject({ message: detail, hint: expect.stringMatching(/formats/) })
})

test('only the reason of an OpenSSL error is shown', () => {
  const said =
    '80FC255DD07F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/ssl3_record.c:350:\n'
  const cause = new TypeError('fetch failed', { cause: new Error(said) })
  const { message, hint } = toFailure(new ConnectionError('listTasks', said, cause), signal)
  expect(message).toBe('listTasks got no answer: wrong version number')
  expect(hint).toBe('The server does not use TLS on this port: try http.')
})
