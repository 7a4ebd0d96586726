import { createServer, type Server } from 'node:net'
import { newAuthority } from '@reticle/kit/outgoing/certificate'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { MailRefused } from './mailer.ts'
import { type SmtpOptions, smtpMailer } from './smtp.ts'

/** Mails through a real SMTP server. */

const authority = newAuthority('mail authority')
const { key, cert } = authority.issue('localhost', '127.0.0.1')
const trusting = { tls: { ca: authority.ca } }

const open: (SMTPServer | Server)[] = []
afterEach(async () => {
  const all = open.splice(0)
  await Promise.all(all.map((one) => new Promise<void>((resolve) => one.close(() => resolve()))))
})

interface Received {
  from: string
  to: string[]
  text: string
  secure: boolean
  user: unknown
}

/** Starts a server that accepts every mail unless the options refuse it. */
async function receiving(given: SMTPServerOptions = {}) {
  const received: Received[] = []
  const tried: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    key,
    cert,
    logger: false,
    onAuth({ username, password }, _session, done) {
      tried.push(`${username}:${password}`)
      if (password !== 'p@ss:word') return done(new Error('No such account'))
      done(null, { user: username })
    },
    async onData(stream, session, done) {
      const pieces: Buffer[] = []
      for await (const piece of stream) pieces.push(Buffer.from(piece))
      const { mailFrom, rcptTo } = session.envelope
      received.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        text: Buffer.concat(pieces).toString(),
        secure: session.secure,
        user: session.user,
      })
      done()
    },
    ...given,
  })
  server.on('error', () => undefined) // clients that close the connection early
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { received, tried, port }
}

function mailer(url: string, options: SmtpOptions = {}) {
  const { mail } = readConfig({
    RETICLE_PROJECTS_SMTP_URL: url,
    RETICLE_PROJECTS_MAIL_FROM: 'Reticle <reticle@example.org>',
  })
  if (!mail) throw new Error('no mail was set up')
  return smtpMailer(mail, { ...trusting, ...options })
}
const mail = {
  to: 'anna@example.org',
  subject: 'Grüße',
  text: 'Hello Anna\n\nhttps://x.org/y?z=1\n',
}
const refusal = (text: RegExp, isFinal: boolean) =>
  expect.objectContaining({ name: 'Error', isFinal, message: expect.stringMatching(text) })

describe('a mail', () => {
  test('is delivered complete', async () => {
    const { received, port } = await receiving({ disabledCommands: ['STARTTLS'] })
    await mailer(`smtp://127.0.0.1:${port}`).send(mail)
    expect(received).toMatchObject([
      { from: 'reticle@example.org', to: ['anna@example.org'], secure: false },
    ])
    const text = received[0]?.text ?? ''
    expect(text).toMatch(/^From: Reticle <reticle@example.org>\r$/m)
    expect(text).toMatch(/^To: anna@example.org\r$/m)
    expect(text).toMatch(/^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe\?=\r$/m)
    expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(text).toMatch(/^Message-ID: <.+@example.org>\r$/m)
    expect(text).toContain('https://x.org/y?z=1')
  })

  test('goes to one recipient, even for an address with a comma', async () => {
    const { received, port } = await receiving({ disabledCommands: ['STARTTLS'] })
    const sent = mailer(`smtp://127.0.0.1:${port}`).send({ ...mail, to: 'bo,eve@example.org' })
    await sent.catch(() => undefined)
    expect(received.flatMap(({ to }) => to).filter((one) => one === 'eve@example.org')).toEqual([])
  })

  test('is encrypted when the server offers STARTTLS', async () => {
    const { received, port } = await receiving()
    await mailer(`smtp://127.0.0.1:${port}`).send(mail)
    expect(received).toMatchObject([{ secure: true }])
  })

  test('is encrypted from the first byte with smtps', async () => {
    const { received, port } = await receiving({ secure: true })
    await mailer(`smtps://127.0.0.1:${port}`).send(mail)
    expect(received).toMatchObject([{ secure: true }])
  })

  test('uses the percent-encoded account of the URL', async () => {
    const { received, port } = await receiving()
    await mailer(`smtp://reti%40cle:p%40ss%3Aword@127.0.0.1:${port}`).send(mail)
    expect(received).toMatchObject([{ user: 'reti@cle', secure: true }])
  })
})

describe('a mail fails', () => {
  test('when no server listens', async () => {
    const { port } = await receiving()
    await new Promise<void>((resolve) => open.pop()?.close(() => resolve()))
    const attempt = mailer(`smtp://127.0.0.1:${port}`).send(mail)
    await expect(attempt).rejects.toEqual(refusal(/ESOCKET|ECONN/, false))
  })

  test.each([
    [550, true],
    [450, false],
  ])(
    'for a recipient that the server answers with %i; final: %s',
    async (responseCode, isFinal) => {
      const { port } = await receiving({
        onRcptTo: ({ address }, _session, done) =>
          done(Object.assign(new Error(`<${address}> is not here`), { responseCode })),
      })
      const attempt = mailer(`smtp://127.0.0.1:${port}`).send(mail)
      await expect(attempt).rejects.toEqual(refusal(new RegExp(`answer ${responseCode}`), isFinal))
    },
  )

  test('for a wrong account, without the account in the error', async () => {
    const { received, port } = await receiving()
    const attempt = mailer(`smtp://reticle:wrong-word@127.0.0.1:${port}`).send(mail)
    const thrown = await attempt.catch((error: unknown) => error)
    expect(thrown).toEqual(refusal(/EAUTH, answer 535/, false))
    const emitted = JSON.stringify([
      thrown,
      String(thrown),
      thrown instanceof Error && thrown.stack,
    ])
    for (const secret of ['wrong-word', 'anna@example.org', 'https://x.org'])
      expect(emitted).not.toContain(secret)
    expect(received).toEqual([])
  })

  test('when the certificate of the server is not trusted', async () => {
    const { received, port } = await receiving({ secure: true })
    const attempt = mailer(`smtps://127.0.0.1:${port}`, { tls: undefined }).send(mail)
    await expect(attempt).rejects.toBeInstanceOf(MailRefused)
    expect(received).toEqual([])
  })

  test('before the password is sent, when TLS is required but not offered', async () => {
    const { received, tried, port } = await receiving({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
    })
    const address = `smtp://reticle:p%40ss%3Aword@127.0.0.1:${port}`
    await expect(mailer(`${address}?tls=required`).send(mail)).rejects.toBeInstanceOf(MailRefused)
    expect([tried, received]).toEqual([[], []])
    await mailer(`${address}?tls=offered`).send(mail)
    expect(received).toMatchObject([{ user: 'reticle', secure: false }])
  })

  test.each([
    ['nothing', () => undefined],
    ['a byte now and then, for ever', drip],
  ])('after the timeout, when the server sends %s', async (_, talk) => {
    const sockets = new Set<{ destroy: () => void; destroyed: boolean }>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      talk(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const attempt = mailer(`smtp://127.0.0.1:${port}`, { timeoutMs: 300 }).send(mail)
    await expect(attempt).rejects.toEqual(refusal(/EABORT|ETIMEDOUT/, false))
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })

  test('when the sender aborts', async () => {
    const { port } = await receiving({ onConnect: () => undefined })
    const attempt = mailer(`smtp://127.0.0.1:${port}`).send(mail, AbortSignal.abort())
    await expect(attempt).rejects.toBeInstanceOf(MailRefused)
  })
})

/** Sends a greeting of many lines that never ends. */
function drip(socket: { write: (text: string) => void; destroyed: boolean }): void {
  const timer = setInterval(() => {
    if (socket.destroyed) return clearInterval(timer)
    socket.write('2')
  }, 50)
}
