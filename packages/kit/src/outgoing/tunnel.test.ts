import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { s3Bucket } from '../bucket/s3.ts'
import { type AnswerName, startAnswer } from '../testing/answers.ts'
import { startConnectProxy } from '../testing/connect-proxy.ts'
import { startReceiver } from '../testing/receiver.ts'
import { startS3 } from '../testing/s3-server.ts'
import { openDownloads } from './download.ts'
import { openOutgoing } from './fetch.ts'
import { egressProxy } from './tunnel.ts'

/** With `RETICLE_EGRESS_PROXY`, names are not resolved here and connections lead only to the proxy. */

const proxy = await startConnectProxy()
const receiver = await startReceiver()
const s3 = await startS3()
afterAll(async () => {
  await Promise.all([proxy.close(), receiver.close(), s3.close()])
})
const closing: (() => unknown)[] = []
beforeEach(() => {
  proxy.answer(200)
  proxy.asked.length = 0
  receiver.received.length = 0
  receiver.answer({})
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** No internal address is allowed and no name can be resolved here, as in a cluster whose only exit is the proxy. */
const guarded = {
  nets: [],
  allowHttp: true,
  lookup: () => {
    throw new Error('a name was resolved here')
  },
}
const { signal } = new AbortController()
const portOf = (url: string) => new URL(url).port
const told = () => proxy.asked.map(({ target }) => target)

function ask(url: string, more: { egressProxy?: string; ca?: string; isVerified?: boolean } = {}) {
  const { isVerified = true, ...options } = more
  const outgoing = openOutgoing({ ...guarded, egressProxy: proxy.url, ...options })
  closing.push(outgoing.close)
  return outgoing.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), isVerified })
}

async function secure(name: AnswerName) {
  const answer = await startAnswer(name)
  closing.push(answer.close)
  return answer
}

describe('a request through the proxy', () => {
  test('plain http also uses CONNECT', async () => {
    const port = portOf(receiver.url)
    const outcome = await ask(`http://receiver.test:${port}/hook`)
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 })
    expect(told()).toEqual([`receiver.test:${port}`])
    expect(receiver.received).toMatchObject([
      { path: '/hook', headers: { host: `receiver.test:${port}` } },
    ])
  })

  test('a request is encrypted end to end, and the proxy cannot read it', async () => {
    const { url, ca } = await secure('a good certificate')
    expect(await ask(url, { ca })).toMatchObject({ status: 200, body: 'ok' })
    expect(told()).toEqual([`receiver.test:${portOf(url)}`])
    expect(proxy.carried()).not.toContain('POST / HTTP/1.1\r\nhost: receiver.test')
  })

  test.each<AnswerName>([
    'a certificate of an unknown root',
    'a certificate for another name',
    'an expired certificate',
  ])('%s is rejected unless verification is disabled', async (name) => {
    const { url, ca } = await secure(name)
    expect(await ask(url, { ca })).toMatchObject({ kind: 'failed', reason: 'certificate' })
    expect(await ask(url, { ca, isVerified: false })).toMatchObject({ status: 200 })
  })

  test.each(['https://10.0.0.1/', 'http://[::1]/', 'http://2130706433/', 'https://db.internal/'])(
    'a request to %s is blocked without contacting the proxy',
    async (url) => {
      expect(await ask(url)).toMatchObject({ kind: 'failed', reason: 'blocked' })
      expect(told()).toEqual([])
    },
  )

  test.each([
    [407, 'blocked'],
    [403, 'blocked'],
    [502, 'unreachable'],
    [503, 'unreachable'],
  ])('status %i of the proxy fails the request as %s', async (status, reason) => {
    proxy.answer(status)
    for (const scheme of ['http', 'https'])
      expect(await ask(`${scheme}://receiver.test:1/`)).toMatchObject({ kind: 'failed', reason })
    expect(told()).toHaveLength(2)
  })

  test('a proxy that is down makes the target unreachable', async () => {
    const down = await startConnectProxy()
    await down.close()
    expect(await ask('https://receiver.test/', { egressProxy: down.url })).toMatchObject({
      reason: 'unreachable',
    })
  })

  test('credentials of the proxy are sent to the proxy only', async () => {
    const own = proxy.url.replace('//', '//us%40r:p%3Aw@')
    await ask(`http://receiver.test:${portOf(receiver.url)}/`, { egressProxy: own })
    const basic = `Basic ${Buffer.from('us@r:p:w').toString('base64')}`
    expect(proxy.asked).toMatchObject([{ credentials: basic }])
    expect(receiver.received[0]?.headers).not.toHaveProperty('proxy-authorization')
  })
})

describe('a download through the proxy', () => {
  const fetchAll = async (url: string) => {
    const downloads = openDownloads({ ...guarded, maxBytes: 1000, egressProxy: proxy.url })
    closing.push(downloads.close)
    const pieces: Uint8Array[] = []
    for await (const piece of await downloads.open(url, signal)) pieces.push(piece)
    return String(Buffer.concat(pieces))
  }

  test('each redirect opens another tunnel', async () => {
    const origin = `files.test:${portOf(receiver.url)}`
    receiver.answer(({ path }) =>
      path === '/a' ? { status: 302, headers: { location: `http://${origin}/b` } } : { body: 'b' },
    )
    expect(await fetchAll(`http://${origin}/a`)).toBe('b')
    expect(told()).toEqual([origin, origin])
  })

  test('a refusal of the proxy or a redirect to an internal address fails the download', async () => {
    const refused = { message: 'target address is not allowed', isPassing: false }
    receiver.answer({ status: 307, headers: { location: 'http://127.0.0.1:1/' } })
    await expect(fetchAll(`http://files.test:${portOf(receiver.url)}/`)).rejects.toMatchObject(
      refused,
    )
    proxy.answer(407)
    await expect(fetchAll('https://files.test/')).rejects.toMatchObject(refused)
  })
})

describe('a bucket through the proxy', () => {
  const open = (endpoint: string) =>
    s3Bucket(
      { provider: 's3', bucket: 'frames', endpoint, credentials: s3 },
      { ...guarded, egressProxy: proxy.url },
    )
  const outside = () => open(`http://s3.test:${portOf(s3.url)}`)
  s3.buckets.set('frames', new Map([['a.txt', Buffer.from('content')]]))

  test('objects are listed and read through the proxy', async () => {
    const bucket = outside()
    expect(await bucket.list({ prefix: '', size: 10 }, signal)).toMatchObject({ keys: ['a.txt'] })
    expect(String(await buffer(bucket.read('a.txt', {}, signal)))).toBe('content')
    expect(new Set(told())).toEqual(new Set([`s3.test:${portOf(s3.url)}`]))
  })

  test('a bucket that the proxy refuses is blocked, and an internal literal is blocked before', async () => {
    proxy.answer(407)
    const list = { prefix: '', size: 10 }
    await expect(outside().list(list, signal)).rejects.toMatchObject({ reason: 'blocked' })
    const asked = told().length
    const inside = open('http://10.0.0.1:9000')
    await expect(inside.list(list, signal)).rejects.toMatchObject({ reason: 'blocked' })
    expect(told()).toHaveLength(asked)
  })

  test('https is encrypted end to end', async () => {
    const { url } = await secure('a certificate of an unknown root')
    const attempt = open(url.replace(/\/$/, '')).list({ prefix: '', size: 10 }, signal)
    await expect(attempt).rejects.toMatchObject({ reason: 'unreachable' })
    expect(told()).toContain(`receiver.test:${portOf(url)}`)
  })
})

test.each(['http://proxy:4750', 'http://user:p%40w@proxy:4750', 'http://[fd00::1]:4750'])(
  '%s is a valid proxy',
  (text) => expect(egressProxy.parse(text)).toBe(text),
)

test.each(['proxy:4750', 'https://proxy:4750', 'http://proxy/path', 'socks5://proxy', 'http://'])(
  '%s is not a valid proxy, and the error does not quote it',
  (text) => {
    const { error } = z.object({ RETICLE_EGRESS_PROXY: egressProxy }).safeParse({
      RETICLE_EGRESS_PROXY: text,
    })
    expect(error?.message).toContain('Expected http://host:port')
    expect(error?.message).not.toContain(text === 'http://' ? 'nothing' : text)
  },
)
