import { startConnectProxy } from '@reticle/kit/testing/connect-proxy'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { createImages } from '../../support/pictures.ts'
import { dataDirectory, type Reticle, startReticle } from '../../support/reticle.ts'

/**
 * `RETICLE_EGRESS_PROXY` in every service that calls addresses given by users. Their host names resolve only inside the
 * proxy, and no internal network is allowed.
 */

const word = 'hunter2'
const { path, remove } = dataDirectory()
const proxy = await startConnectProxy()
const there = await startReceiver()
const s3 = await startS3()
let reticle: Reticle
let api: ApiClient

beforeAll(async () => {
  reticle = await startReticle(path, {
    RETICLE_EGRESS_PROXY: proxy.url.replace('//', `//reticle:${word}@`),
    RETICLE_WEBHOOKS_ALLOWED_NETS: '',
    RETICLE_LOG_LEVEL: 'debug',
  })
  api = reticle.admin
})
afterAll(async () => {
  await reticle.stop()
  await Promise.all([proxy.close(), there.close(), s3.close()])
  remove()
})
beforeEach(() => {
  proxy.answer(200)
  proxy.asked.length = 0
})

const named = (name: string, { url }: { url: string }) => `${name}.test:${new URL(url).port}`
const proxiedTargets = () => [...new Set(proxy.asked.map(({ target }) => target))]
const credentials = `Basic ${Buffer.from(`reticle:${word}`).toString('base64')}`

async function ping(): Promise<AnyJson> {
  const { id: project_id } = await api.done('POST', '/projects', { json: { name: 'streets' } })
  const target_url = `http://${named('receiver', there)}/`
  const json = { type: 'project', project_id, target_url, events: 'create:task' }
  const { id } = await api.done('POST', '/webhooks', { json })
  return api.done('POST', `/webhooks/${id}/ping`)
}

async function fetched(): Promise<AnyJson> {
  const { id } = await api.done('POST', '/tasks', {
    json: { name: 't', labels: [{ name: 'car' }] },
  })
  const json = { image_quality: 70, remote_files: [`http://${named('files', there)}/a.png`] }
  const { rq_id } = await api.done('POST', `/tasks/${id}/data`, { json })
  return api.ended(rq_id)
}

const connected = () =>
  api.call('POST', '/cloudstorages', {
    json: {
      ...{ provider_type: 'AWS_S3_BUCKET', resource: 'frames', display_name: 'frames' },
      ...{ credentials_type: 'KEY_SECRET_KEY_PAIR', key: s3.key, secret_key: s3.secret },
      specific_attributes: `endpoint_url=${encodeURIComponent(`http://${named('s3', s3)}`)}`,
    },
  })

test('webhooks, remote files and buckets are reached through the proxy', async () => {
  const [image] = await createImages(1)
  there.answer(({ method }) => (method === 'GET' ? { body: image?.bytes } : {}))
  s3.buckets.set('frames', new Map())
  expect(await ping()).toMatchObject({ status_code: 200 })
  expect(proxiedTargets()).toEqual([named('receiver', there)])
  expect(await fetched()).toMatchObject({ status: 'finished' })
  expect(proxiedTargets()).toContain(named('files', there))
  const { status, text } = await connected()
  expect(status, text).toBe(201)
  expect(proxiedTargets()).toContain(named('s3', s3))
  expect(new Set(proxy.asked.map((one) => one.credentials))).toEqual(new Set([credentials]))
})

test('a target that the proxy refuses is not allowed, and no message contains the proxy password', async () => {
  proxy.answer(407)
  expect(await ping()).toMatchObject({
    ...{ status_code: 502, response: 'target address is not allowed' },
  })
  const { status, message } = await fetched()
  expect([status, message]).toEqual(['failed', expect.stringContaining('address is not allowed')])
  expect((await connected()).status).toBe(400)
  expect(reticle.output()).not.toContain(word)
})
