import type { LookupFunction } from 'node:net'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startReceiver } from '../testing/receiver.ts'
import { recordScore } from '../testing/scores.ts'
import { openDownloads } from './download.ts'
import { openOutgoing } from './fetch.ts'
import { formatNets, guardedLookup, isAllowed, readNets, readTarget } from './guard.ts'

/** Test T-WH-5: no target here may open a socket to a blocked address. */

const strict = { nets: [], allowHttp: true }

/** Listens on every address of this machine, so that a connection that should have been blocked is detected. */
let touched = 0
let port = 0
const canary = createServer((socket) => {
  touched += 1
  socket.destroy()
})
beforeAll(async () => {
  await new Promise<void>((done) => canary.listen(0, done))
  const address = canary.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterAll(() => new Promise<void>((done) => canary.close(() => done())))

const ownAddresses = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ address }) => !isAllowed(address, []) && !address.includes('%'))
  .map(({ address }) => (address.includes(':') ? `[${address}]` : address))

const hosts = [
  ...ownAddresses,
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0',
    '0.0.0.0',
  ],
  ...[
    '127.0.0.1.',
    '127.255.255.254',
    '１２７.０.０.１',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '0177.0.0.1',
    '%31%32%37.0.0.1',
  ],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
  ],
  ...[
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
  ],
  ...[
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
  ],
  ...[
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '2852039166',
  ],
  ...[
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:169.254.169.254]',
  ],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'ｌocalhost',
    'db.local',
    'ci.internal',
    'metadata.google.internal',
  ],
  ...['api.default.svc', 'a.svc.cluster.local', 'a.svc.cluster.local.', 'b.cluster.local'],
]
const forms = [
  ...[
    'ftp://example.org',
    'file:///etc/passwd',
    'gopher://127.0.0.1',
    'javascript:alert(1)',
    'https:',
    'https://',
  ],
  ...[
    'https:example.org',
    'https:/example.org',
    'https:\\\\127.0.0.1',
    'https:///127.0.0.1',
    '//127.0.0.1',
    '127.0.0.1',
  ],
  ...[
    'example.org',
    '',
    'https://user:pw@example.org',
    'https://user@example.org',
    'https://:pw@example.org',
  ],
  ...[
    'https://example.org/#fragment',
    'https://example.org/#',
    'https://exa mple.org',
    ' https://example.org',
  ],
  ...[
    'https://example.org/\n',
    'https://exam\tple.org',
    'https://[fe80::1%25eth0]/',
    'https://[::1',
    'https://1.2.3.4.5',
  ],
  ...[
    'https://example.org:99999',
    'https://example.org\\@127.0.0.1',
    `https://example.org/${'a'.repeat(8173)}`,
  ],
]

test('the corpus has at least sixty targets', () => {
  expect(new Set([...hosts, ...forms]).size).toBeGreaterThanOrEqual(60)
})

describe('a target that is rejected before name resolution', () => {
  test.each(hosts.flatMap((host) => [`https://${host}`, `http://${host}:80/x?y=1`]))(
    '%s',
    (url) => {
      expect(() => readTarget(url, strict)).toThrow()
    },
  )
  test.each(forms)('%s', (url) => {
    expect(() => readTarget(url, strict)).toThrow()
  })
})

test.each([
  'https://example.org',
  'https://example.org:8443/a?b=c',
  'https://8.8.8.8',
  'https://[2606:4700::1111]/',
])('%s is allowed', (url) => {
  expect(readTarget(url, strict).href).toContain('https://')
})

test('plain http needs an option', () => {
  expect(() => readTarget('http://example.org', { nets: [], allowHttp: false })).toThrow(
    'begins with https://.',
  )
  expect(readTarget('http://example.org', strict).protocol).toBe('http:')
})

test('an allowed network allows exactly its addresses', () => {
  const nets = readNets(['10.1.0.0/16', 'fd12::/16'])
  expect(isAllowed('10.1.2.3', nets)).toBe(true)
  expect(isAllowed('::ffff:10.1.2.3', nets)).toBe(true)
  expect(isAllowed('fd12::1', nets)).toBe(true)
  expect(isAllowed('10.2.0.1', nets)).toBe(false)
  expect(isAllowed('127.0.0.1', nets)).toBe(false)
})

test('formatted networks are read as the same networks', () => {
  const blocks = ['10.1.0.0/16', 'fd12::/16']
  expect(formatNets(readNets(blocks))).toEqual(blocks)
})

const post = { method: 'POST' as const, headers: {}, body: Buffer.from('{}'), isVerified: true }

/** All networks, so that only the block of metadata services applies. */
const everything = readNets(['0.0.0.0/0', '::/0'])

describe('a metadata service of a cloud, which no list of allowed networks can allow', () => {
  test.each([
    ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23', '169.254.42.42'],
    ...['100.100.100.200', '168.63.129.16', '192.0.0.192', '2852039166', '0xa9fea9fe'],
    ...['0251.0376.0251.0376', '169.254.43518', '169.254.169.254.', '１６９.254.169.254'],
    ...['[fd00:ec2::254]', '[fd00:ec2::23]', '[fd20:ce::254]', '[fe80::a9fe:a9fe]'],
    ...['[fd00:c1::a9fe:a9fe]', '[fd00:42::42]', '[::ffff:169.254.169.254]', '[::169.254.169.254]'],
    ...['[::ffff:0:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b::6464:64c8]'],
    ...['[64:ff9b:1::a9fe:a9fe]', '[64:ff9b:1:a9fe:a9:fe00::]', '[64:ff9b:1:2:a9:fea9:fe00:0]'],
    ...['[2002:a9fe:a9fe::1]', '[2002:a83f:8110::]', '[2001:0:a9fe:a9fe::]', '[2001::5601:5601]'],
    ...['[fd12::5efe:a9fe:a9fe]', '[2001:db8::200:5efe:a9fe:aa02]', '[::ffff:192.0.0.192]'],
    ...['metadata', 'metadata.google.internal', 'METADATA.google.internal.', 'metadata.goog'],
    ...['instance-data', 'instance-data.ec2.internal', 'metadata.azure.internal'],
  ])('%s', async (host) => {
    const open = { nets: everything, allowHttp: true, allowInsideNames: true }
    expect(() => readTarget(`http://${host}/latest/`, open)).toThrow()
    const outgoing = openOutgoing(open)
    expect(await outgoing.send({ ...post, url: `http://${host}/latest/` })).toMatchObject({
      reason: 'blocked',
    })
    await outgoing.close()
  })

  test.each([
    '169.254.169.254',
    '::ffff:169.254.170.2',
    '64:ff9b::a9fe:a9fe',
    'fd00:ec2::254',
    '2002:a9fe:a9fe::',
    'fe80::a9fe:a9fe%lo',
  ])('a name that resolves to %s', async (address) => {
    const lookup = answering(['192.0.2.1'], [address])
    const guarded = guardedLookup(everything, lookup)
    const ask = () =>
      new Promise((done) => guarded('example.org', { all: true }, (error) => done(error)))
    expect(await ask()).toBeNull()
    expect(await ask()).toMatchObject({ code: 'ERR_ADDRESS_REFUSED' })
  })

  test.each(['127.0.0.1', '10.0.0.1', '::1', 'fd12::1', '64:ff9b::a00:1', '2002:a00:1::'])(
    '%s is allowed by the list of all networks',
    (address) => expect(isAllowed(address, everything)).toBe(true),
  )
})

test('the error for an invalid network names it', () => {
  expect(() => readNets(['10.0.0.0/8', '10.0.0.0/33'])).toThrow('"10.0.0.0/33" is no network')
})

/** Creates a resolver that returns one list after the other. */
function answering(...rounds: string[][]): LookupFunction {
  let round = 0
  return (_host, _options, done) => {
    const list = rounds[Math.min(round++, rounds.length - 1)] ?? []
    done(
      null,
      list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

test('of public and internal addresses of a name only the public ones remain', () => {
  const found = ['127.0.0.1', '8.8.8.8', '::1', '2606:4700::1111']
  const keep = guardedLookup([], answering(found, found))
  keep('example.org', { all: true }, (error, left) => {
    expect(error).toBeNull()
    expect(left).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
  })
  keep('example.org', {}, (_error, address) => expect(address).toBe('8.8.8.8'))
  expect.assertions(3)
})

describe('a target to which no connection is opened', () => {
  test.each(hosts)('%s', async (host) => {
    const outgoing = openOutgoing(strict)
    const outcome = await outgoing.send({ ...post, url: `http://${host}:${port}/` })
    expect(outcome).toEqual({ kind: 'failed', reason: 'blocked', tookMs: 0 })
    await outgoing.close()
  })

  test.each([
    ['a name of this machine', [['127.0.0.1']]],
    ['A and AAAA, both inside', [['127.0.0.1', '::1']]],
    ['a mapped address', [['::ffff:127.0.0.1']]],
    ['a resolver that changes its mind', [['10.0.0.1'], ['127.0.0.1']]],
    ['an address with a zone', [['fe80::1%lo']]],
    ['an empty answer', [[]]],
  ])('%s', async (_title, rounds) => {
    const outgoing = openOutgoing({ ...strict, lookup: answering(...rounds) })
    for (const _ of rounds) {
      const outcome = await outgoing.send({ ...post, url: `http://example.org:${port}/` })
      expect(outcome).toMatchObject({ kind: 'failed', reason: 'blocked' })
    }
    await outgoing.close()
  })

  /** An unused address represents the public one that a resolver returns first. */
  const hasty = { connectMs: 50, headersMs: 100, bodyMs: 50, bodyBytes: 1 }
  test.each([
    ['a resolver that names a public address, then this machine', [['192.0.2.1'], ['127.0.0.1']]],
    ['public and inside addresses of one name', [['127.0.0.1', '192.0.2.1', '::1']]],
    ['a name that stands for one inside', [['10.96.0.1']]],
  ])('%s', async (_title, rounds) => {
    const nets = readNets(['192.0.2.1/32'])
    const lookup = answering(...rounds)
    const outgoing = openOutgoing({ nets, allowHttp: true, limits: hasty, lookup })
    const reasons = []
    for (const _ of rounds) {
      const outcome = await outgoing.send({ ...post, url: `http://example.org:${port}/` })
      reasons.push(outcome.kind === 'failed' ? outcome.reason : outcome.status)
    }
    const isInside = rounds.map((found) => !found.includes('192.0.2.1'))
    expect(reasons.map((reason) => reason === 'blocked')).toEqual(isInside)
    await outgoing.close()
  })

  test.each(
    [302, 307, 308].flatMap((status) => [
      [status, '127.0.0.2'] as const,
      [status, '[::1]'] as const,
      [status, '0x7f000002'] as const,
    ]),
  )('a redirect by %i to %s', async (status, host) => {
    const there = await startReceiver()
    there.answer({ status, headers: { location: `http://${host}:${port}/` } })
    const guard = { nets: readNets(['127.0.0.1/32']), allowHttp: true }
    const outgoing = openOutgoing(guard)
    const downloads = openDownloads({ ...guard, maxBytes: 10 })
    expect(await outgoing.send({ ...post, url: there.url })).toMatchObject({ status })
    await expect(downloads.open(there.url, new AbortController().signal)).rejects.toMatchObject({
      message: 'target address is not allowed',
    })
    await Promise.all([outgoing.close(), downloads.close(), there.close()])
  })

  test('the proxy of the environment', async () => {
    vi.stubEnv('http_proxy', `http://127.0.0.1:${port}`)
    const outgoing = openOutgoing({ ...strict, lookup: answering(['127.0.0.1']) })
    await outgoing.send({ ...post, url: 'http://example.org/' })
    await outgoing.close()
    vi.unstubAllEnvs()
  })

  test('the canary received no connection', () => {
    expect(port).toBeGreaterThan(0)
    const count = `${new Set([...hosts, ...forms]).size} targets`
    recordScore({ id: 'T-WH-5', on: 'sockets', count, seen: String(touched), holds: touched === 0 })
    expect(touched).toBe(0)
  })
})
