import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import type { WebhookPatch } from '@reticle/contracts/rest/webhooks'
import { webhookCreate, webhookPatch } from '@reticle/contracts/rest/webhooks'
import { describe, expect, test } from 'vitest'
import { eventsOf, readScope, readWebhookFields } from './check.ts'

const guard = { nets: [], allowHttp: false }
const read = (body: WebhookPatch) => readWebhookFields(body, 'project', guard)

describe('rejected target URLs', () => {
  test.each([
    ...['http://example.org', 'example.org', 'ftp://example.org', 'https://'],
    ...['https://user:pass@example.org', 'https://exam ple.org', 'https://example.org/#a'],
    ...['https://127.0.0.1', 'https://[::1]', 'https://2130706433', 'https://0x7f.1'],
    ...['https://[::ffff:10.0.0.1]', 'https://169.254.169.254', 'https://localhost'],
    ...['https://a.svc.cluster.local', 'https://a.internal', 'https://a.local'],
  ])('the target %s is rejected', (target_url) => {
    const attempt = () => read({ target_url })
    expect(attempt).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        code: 'webhook_url_invalid',
        body: { target_url: [expect.any(String)] },
      }),
    )
  })
})

test('the schema rejects a target URL of 8,193 characters', () => {
  const target_url = `https://example.org/${'a'.repeat(8173)}`
  expect(webhookPatch.safeParse({ target_url }).success).toBe(false)
})

test('plain http is accepted where the installation allows it', () => {
  const open = { nets: [], allowHttp: true }
  expect(readWebhookFields({ target_url: 'http://example.org' }, 'project', open)).toEqual({
    target_url: 'http://example.org',
  })
})

describe('events', () => {
  test('event names are sorted and deduplicated', () => {
    expect(read({ events: 'update:task, create:task,update:task' })).toEqual({
      events: ['create:task', 'update:task'],
    })
  })

  test.each(['issue', 'comment'])(
    'events of an %s are valid for both webhook types',
    (resource) => {
      const events = ['create', 'delete', 'update'].map((verb) => `${verb}:${resource}`)
      const query = { events: events.join(',') }
      expect(read(query)).toEqual({ events })
      expect(readWebhookFields(query, 'organization', { nets: [], allowHttp: false })).toEqual({
        events,
      })
    },
  )

  test.each([
    ['x', { events: ['"x" is not a valid choice.'] }],
    ['update:task,nonsense', { events: ['"nonsense" is not a valid choice.'] }],
    ['constructor', { events: ['"constructor" is not a valid choice.'] }],
    ['ping', { non_field_errors: ['Invalid events list for project webhook'] }],
    ['create:project', { non_field_errors: ['Invalid events list for project webhook'] }],
  ])('the event list %j is rejected', (events, body) => {
    expect(() => read({ events })).toThrow(expect.objectContaining({ kind: 'invalid', body }))
  })

  test.each([[''], [' , '], [[]]])('the schema rejects the event list %j', (events) => {
    expect(webhookPatch.safeParse({ events }).success).toBe(false)
  })
})

test('any other content type is rejected', () => {
  expect(read({ content_type: 'application/json' })).toEqual({})
  expect(() => read({ content_type: 'text/xml' })).toThrow(
    expect.objectContaining({ body: { content_type: ['"text/xml" is not a valid choice.'] } }),
  )
})

test.each([
  [{ secret: 'x'.repeat(65) }],
  [{ secret: 'a\0b' }],
  [{ secret: {} }],
  [{ enable_ssl: null }],
])('the schema rejects %j', (body) => {
  expect(webhookPatch.safeParse(body).success).toBe(false)
})

describe('the scope of a new webhook', () => {
  const nowhere = { scope: null }
  const acme = { scope: { organization_id: 2 } }

  test('a project webhook belongs to the project in the body, also when the request names an organization', () => {
    expect(readScope({ type: 'project', project_id: 7 }, nowhere)).toEqual({ project_id: 7 })
    expect(readScope({ type: 'project', project_id: 7 }, acme)).toEqual({ project_id: 7 })
  })

  test('an organization webhook belongs to the organization that the request names', () => {
    expect(readScope({ type: 'organization' }, acme)).toEqual({ organization_id: 2 })
  })

  test.each([
    [{ type: 'project' }, acme, 'project_id'],
    [{ type: 'project', project_id: null }, acme, 'project_id'],
    [{ type: 'organization', project_id: 7 }, acme, 'project_id'],
    [{ type: 'organization' }, nowhere, 'non_field_errors'],
    [{ type: 'organization' }, { scope: { organization_id: null } }, 'non_field_errors'],
  ])('%j with the principal %j is rejected', (body, from, field) => {
    expect(() => readScope(body, from)).toThrow(
      expect.objectContaining({ kind: 'invalid', body: { [field]: [expect.any(String)] } }),
    )
  })

  test('the schema rejects an unknown webhook type', () => {
    const body = { target_url: 'https://example.org', events: 'update:task', type: 'user' }
    expect(webhookCreate.safeParse(body).success).toBe(false)
  })
})

test('the event names of each webhook type are listed and accepted', () => {
  expect(eventsOf('all')).toEqual(Object.keys(webhookEvents).sort())
  expect(eventsOf('organization')).toEqual(eventsOf('all'))
  expect(eventsOf('project')).not.toContain('create:project')
  expect(eventsOf('project')).toContain('update:project')
  for (const type of ['project', 'organization'] as const)
    expect(readWebhookFields({ events: eventsOf(type).join() }, type, guard).events).toEqual(
      eventsOf(type),
    )
})
