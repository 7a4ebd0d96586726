import { execFileSync } from 'node:child_process'
import { restOperations } from '@reticle/contracts/api/index'
import { buildOpenapi } from '@reticle/contracts/openapi'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { root } from '../support/root.ts'
import { findIncompatibilities } from './compatible.ts'

/** Semantic versions: the released interface is kept within its major version. */

const released = z.looseObject({ info: z.looseObject({ version: z.string() }) })

/** Returns the OpenAPI document of the last release; undefined before the first release or without git history. */
function lastReleased() {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, stdio: 'pipe', maxBuffer: 2 ** 26 }).toString()
  try {
    const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*').trim()
    return released.parse(JSON.parse(git('show', `${tag}:docs/openapi.json`)))
  } catch {
    return undefined
  }
}

const majorOf = (version: string) => Number(version.split('.', 1)[0])

test('the interface stays compatible with the last release, or has a new major version', () => {
  const now = released.parse(buildOpenapi(restOperations))
  const last = lastReleased()
  const isNext = last && majorOf(now.info.version) > majorOf(last.info.version)
  expect(last && !isNext ? findIncompatibilities(last, now) : []).toEqual([])
})

const answer = (schema: object) => ({ 200: { content: { json: { schema } } } })
const record = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
const base = {
  paths: {
    '/a': {
      get: {
        parameters: [{ name: 'page', in: 'query', required: false }],
        responses: answer({ $ref: '#/components/schemas/A' }),
      },
      post: {
        requestBody: { content: { json: { schema: { $ref: '#/components/schemas/New' } } } },
        responses: answer({ type: 'array', items: { $ref: '#/components/schemas/A' } }),
      },
    },
  },
  components: {
    schemas: {
      A: record,
      New: {
        ...{ type: 'object', additionalProperties: false, required: [] },
        properties: { name: { type: ['string', 'null'], enum: ['x', 'y'] } },
      },
    },
  },
}

/** Returns a copy with another value at a path of keys. */
function changed(path: string, value: unknown) {
  const copy = structuredClone(base)
  const keys = path.split(' ')
  const last = keys.pop() ?? ''
  const parent = keys.reduce((at: object, key) => Object(Reflect.get(at, key)), copy)
  Reflect.set(parent, last, value)
  return copy
}

const schemas = 'components schemas'
test.each([
  ['paths /a', {}, 'GET /a is gone'],
  ['paths /a get parameters', [], 'GET /a: the parameter page is gone'],
  ['paths /a get parameters 0 required', true, 'GET /a: the parameter page is needed now'],
  ['paths /a get responses', {}, 'GET /a: it answers no 200 any more'],
  [`${schemas} A properties id type`, 'string', 'GET /a: the answer 200.id is string, not integer'],
  [`${schemas} A required`, [], 'GET /a: the answer 200 has not always id'],
  [`${schemas} New required`, ['name'], 'POST /a: the body needs name'],
  [`${schemas} New properties`, {}, 'POST /a: the body refuses name'],
  [`${schemas} New properties name type`, 'string', 'POST /a: the body.name is string, not string'],
  [`${schemas} New properties name enum`, ['x'], 'POST /a: the body.name may not be y any more'],
])('changing %s to %j breaks clients', (path, value, finding) => {
  const found = findIncompatibilities(base, changed(path, value))
  expect(
    found.some((one) => one.startsWith(finding)),
    found.join('; '),
  ).toBe(true)
})

test.each([
  ['paths /b', base.paths['/a']],
  ['paths /a get parameters 1', { name: 'sort', in: 'query', required: false }],
  ['paths /a get responses 202', {}],
  [`${schemas} A properties name`, { type: 'string' }],
  [`${schemas} A required`, ['id', 'name']],
  [`${schemas} New properties other`, { type: 'string' }],
  [`${schemas} New properties name enum`, ['x', 'y', 'z']],
  [`${schemas} New properties name type`, ['string', 'null', 'integer']],
])('changing %s to %j does not break clients', (path, value) => {
  expect(findIncompatibilities(base, changed(path, value))).toEqual([])
})
