import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { defineOperations, get, post } from '@reticle/contracts/api/operation'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Principal, Service } from '../../call/context.ts'
import { newAuthority } from '../../outgoing/certificate.ts'
import { callAs } from '../../testing/call.ts'
import { protosOf } from '../../testing/protos.ts'
import { guardHandlers } from '../guard.ts'
import { signContext } from '../wire/metadata.ts'
import { methodOf } from '../wire/method.ts'
import { type ConnectOptions, connectGrpc } from './connect.ts'
import { listenGrpc } from './listen.ts'
import type { Tls } from './tls.ts'

/**
 * Only services of this installation may name the principal of a call. See
 * docs/spec/reliability.md#identity-and-secrets.
 */

const who = z.object({ user_id: z.int() }).meta({ id: 'Who' })
const table = defineOperations('WhoService', {
  whoAmI: get('/who', { answers: { 200: who } }),
  becomeAdmin: post('/admin', { answers: { 200: who } }),
})
const protos = protosOf(table)
const keys = ['an internal key']
const host = '127.0.0.1'

let called = 0
const answer: Service<typeof table>['whoAmI'] = async (_, { principal }) => {
  called++
  return { user_id: principal?.user_id ?? 0 }
}
const handlers: Service<typeof table> = { whoAmI: answer, becomeAdmin: answer }
const serve = (tls?: Tls) =>
  listenGrpc({ host, port: 0, keys, protos, tls }, (register) =>
    register(
      table,
      guardHandlers(handlers, () => undefined),
    ),
  )

describe('a call from a client outside the installation', async () => {
  const server = await serve()
  const client = new Client(`${host}:${server.port}`, credentials.createInsecure())
  afterAll(async () => {
    client.close()
    await server.stop()
  })
  const { path: whoAmI, ...codec } = methodOf(protos, table.whoAmI)
  const { path: becomeAdmin } = methodOf(protos, table.becomeAdmin)
  const context = callAs({ user_id: 7 })

  const signed = (method: string, by: readonly string[] = keys) => {
    const metadata = new Metadata()
    signContext(metadata, context, { method, keys: by })
    return metadata
  }
  const call = (path: string, metadata: Metadata) =>
    new Promise((resolve, reject) => {
      const { requestSerialize: write, responseDeserialize: read } = codec
      client.makeUnaryRequest(path, write, read, {}, metadata, (error, value) =>
        error ? reject(error) : resolve(value),
      )
    })
  const refusalOf = async (path: string, metadata: Metadata) => {
    const before = called
    const error: ServiceError = await call(path, metadata).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    )
    expect(called).toBe(before)
    expect(error.code).toBe(16) // UNAUTHENTICATED
    return error.details
  }
  /** Replaces text of the signed caller under the original signature. */
  const changed = (metadata: Metadata, from: string, to: string) => {
    const [text] = metadata.get('call-bin')
    expect(String(text)).toContain(from)
    metadata.set('call-bin', Buffer.from(String(text).replace(from, to)))
    return metadata
  }

  test('a call that is signed for its method is answered', async () => {
    expect(await call(whoAmI, signed(whoAmI))).toEqual({ user_id: 7 })
  })

  test('a call without a signature is rejected', async () => {
    expect(await refusalOf(whoAmI, new Metadata())).toContain('not signed')
    const named = new Metadata()
    named.set('call-bin', signed(whoAmI).get('call-bin')[0] ?? '')
    expect(await refusalOf(whoAmI, named)).toContain('not signed')
  })

  test('a call with a forged signature, or with changed content under a valid one, is rejected', async () => {
    expect(await refusalOf(whoAmI, signed(whoAmI, ['a guessed key']))).toContain('not signed')
    const other = changed(signed(whoAmI), '"user_id":7', '"user_id":1')
    expect(await refusalOf(whoAmI, other)).toContain('not signed')
    const admin = changed(signed(whoAmI), '"role":"user"', '"role":"admin"')
    expect(await refusalOf(whoAmI, admin)).toContain('not signed')
  })

  test('a call with a signature older than a minute is rejected', async () => {
    const realNow = Date.now
    Date.now = () => realNow() - 61_000
    const old = signed(whoAmI)
    Date.now = realNow
    expect(await refusalOf(whoAmI, old)).toContain('too old')
  })

  test('a call with a signature for another method is rejected', async () => {
    expect(await refusalOf(becomeAdmin, signed(whoAmI))).toContain('another method')
    const renamed = changed(signed(whoAmI), whoAmI, becomeAdmin)
    expect(await refusalOf(becomeAdmin, renamed)).toContain('not signed')
  })
})

describe('mutual TLS', async () => {
  const authority = newAuthority('our authority')
  const tlsOf = ({ ca, issue }: ReturnType<typeof newAuthority>, address = host): Tls => {
    const { cert, key } = issue('localhost', address)
    return { ca: Buffer.from(ca), cert: Buffer.from(cert), key: Buffer.from(key) }
  }
  const server = await serve(tlsOf(authority))
  const address = `${host}:${server.port}`
  const opened: (() => void)[] = []
  afterAll(async () => {
    for (const close of opened) close()
    await server.stop()
  })
  const ask = (tls: ConnectOptions['tls'], at = address) => {
    const connection = connectGrpc({ address: at, keys, protos, tls })
    opened.push(connection.close)
    const principal: Partial<Principal> = { user_id: 7 }
    const context = callAs(principal, { deadline: Date.now() + 3000 })
    return connection.service(table).whoAmI({}, context)
  }

  test.each([address, `ipv4:${address}`, `dns:///localhost:${server.port}`])(
    'a client with a certificate of the configured authority is answered at %s',
    async (at) => {
      expect(await ask(tlsOf(authority), at)).toEqual({ user_id: 7 })
    },
  )

  test('a client without a certificate cannot connect', async () => {
    const plain = ask(undefined)
    await expect(plain).rejects.toMatchObject({ kind: 'unavailable' })
    const { ca } = tlsOf(authority)
    const client = new Client(address, credentials.createSsl(ca))
    opened.push(() => client.close())
    const ready = new Promise((_, reject) => {
      client.makeUnaryRequest(
        methodOf(protos, table.whoAmI).path,
        () => Buffer.alloc(0),
        () => undefined,
        {},
        { deadline: Date.now() + 1000 },
        reject,
      )
    })
    await expect(ready).rejects.toMatchObject({ code: 14 })
  })

  test('a client with a certificate of another authority cannot connect', async () => {
    const theirs = tlsOf(newAuthority('our authority'))
    const stranger = { ...theirs, ca: Buffer.from(authority.ca) }
    await expect(ask(stranger)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('a server with a certificate for another host or of another authority is not trusted', async () => {
    const elsewhere = await serve(tlsOf(authority, '127.0.0.9'))
    const impostor = await serve(tlsOf(newAuthority('our authority')))
    for (const { port, stop } of [elsewhere, impostor]) {
      const attempt = ask(tlsOf(authority), `${host}:${port}`)
      await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
      await stop()
    }
  })
})
