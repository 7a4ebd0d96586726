import { testClock } from '@reticle/kit/testing/clock'
import { expect, test } from 'vitest'
import { diskMailer } from './disk.ts'
import { type Mail, MailRefused } from './mailer.ts'
import { type RetryOptions, retryingMailer } from './retrying.ts'

/** Repeated sending in the background, within the lifetime of the process. */

const mailTo = (to: string): Mail => ({ to, subject: 's', text: 't' })
const passing = () => new MailRefused('away', false)
const quick = { waitsMs: [1, 1, 1] }

/** Builds a mailer that follows a script of attempts and then accepts every mail. */
function scripted(script: (() => Promise<void>)[], given: RetryOptions = quick) {
  const attempts: string[] = []
  const mailer = retryingMailer(
    {
      async send({ to }) {
        attempts.push(to)
        await script.shift()?.()
      },
    },
    given,
  )
  return { attempts, mailer }
}
const refuse = (thrown: unknown) => () => Promise.reject(thrown)

test('a mailer that keeps mails on the server reports it', async () => {
  const send = async () => undefined
  expect(retryingMailer({ send, keepsMails: true }).keepsMails).toBe(true)
  expect(retryingMailer({ send }).keepsMails).toBe(false)
  expect(diskMailer('/tmp', testClock()).keepsMails).toBe(true)
})

test('a mail that was not accepted is sent again', async () => {
  const { attempts, mailer } = scripted([refuse(passing()), refuse(new Error('no route'))])
  await mailer.send(mailTo('a'))
  expect(attempts).toEqual(['a', 'a', 'a'])
})

test('a final refusal is not retried', async () => {
  const refused = new MailRefused('no such reader', true)
  const { attempts, mailer } = scripted([refuse(refused)])
  await expect(mailer.send(mailTo('a'))).rejects.toBe(refused)
  expect(attempts).toEqual(['a'])
})

test('a mail is lost after the last retry, with the last failure', async () => {
  const last = passing()
  const failures = [passing(), passing(), passing(), last].map(refuse)
  const { attempts, mailer } = scripted(failures)
  await expect(mailer.send(mailTo('a'))).rejects.toBe(last)
  expect(attempts).toHaveLength(4)
})

test('the number of parallel sends is limited, and other mails wait', async () => {
  let [running, most] = [0, 0]
  const mailer = retryingMailer(
    {
      async send() {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running--
      },
    },
    { atOnce: 2 },
  )
  await Promise.all(Array.from({ length: 7 }, (_, at) => mailer.send(mailTo(String(at)))))
  expect(most).toBe(2)
})

test('mails beyond the queue limit fail at once', async () => {
  const { mailer } = scripted([refuse(passing())], { waitsMs: [60_000], room: 1 })
  const first = mailer.send(mailTo('a'))
  await expect(mailer.send(mailTo('b'))).rejects.toThrow('1 mails wait already.')
  const ended = expect(first).rejects.toThrow('away')
  await mailer.stop()
  await ended
})

test('a stop cancels waits at once and running sends after a grace period', async () => {
  let signal: AbortSignal | undefined
  const hanging = retryingMailer(
    {
      send: (_, given) =>
        new Promise((_, reject) => {
          signal = given
          given?.addEventListener('abort', () => reject(new Error('cut')))
        }),
    },
    { graceMs: 1, atOnce: 1 },
  )
  const sending = expect(hanging.send(mailTo('a'))).rejects.toThrow('cut')
  const waiting = expect(hanging.send(mailTo('b'))).rejects.toThrow('aborted')
  await hanging.stop()
  await Promise.all([sending, waiting])
  expect(signal?.aborted).toBe(true)
})
