import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testClock } from '@reticle/kit/testing/clock'
import { afterAll, expect, test } from 'vitest'
import { diskMailer } from './disk.ts'

/** Mails written as files that any mail reader opens. */

const root = await mkdtemp(join(tmpdir(), 'reticle-mail-'))
afterAll(() => rm(root, { recursive: true, force: true }))

test('a mail is a file that only its owner can read', async () => {
  const folder = join(root, 'mail')
  const mailer = diskMailer(folder, testClock('2026-03-01T12:00:00Z'))
  const subject = 'Grüße\r\nBcc: somebody@example.org'
  await mailer.send({ to: 'anna@example.org', subject, text: 'Hello\nAnna\n' })
  await mailer.send({ to: 'bo@example.org', subject: 'Two', text: '' })

  const names = await readdir(folder)
  expect(names).toHaveLength(2)
  for (const name of names) {
    expect(name).toMatch(/^2026-03-01T12-00-00\.000Z-[0-9a-f]{8}\.eml$/)
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  }
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  expect(texts.find((text) => text.includes('anna'))).toBe(
    [
      'Date: Sun, 01 Mar 2026 12:00:00 +0000',
      'To: anna@example.org',
      'Subject: Grüße Bcc: somebody@example.org',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      'Hello\nAnna\n',
    ].join('\r\n'),
  )
})

test('a folder that cannot be created fails the send', async () => {
  const mailer = diskMailer('/dev/null/mail', testClock())
  const attempt = mailer.send({ to: 'a@b', subject: '', text: '' })
  await expect(attempt).rejects.toThrow('/dev/null/mail')
})
