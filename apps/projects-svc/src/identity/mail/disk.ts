import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { Mail, Mailer } from './mailer.ts'

/**
 * Creates a mailer that writes mails as files into a folder, for local use: `<time>-<id>.eml` (RFC 5322), readable
 * only by the owner of the process. A file appears with its complete content.
 */
export function diskMailer(folder: string, { now }: Clock): Mailer {
  return {
    keepsMails: true,
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const date = now()
      const name = `${date.toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
      const draft = join(folder, `.${name}.part`) // hidden until complete
      await writeFile(draft, messageOf(mail, date), { mode: 0o600 })
      await rename(draft, join(folder, name))
    },
  }
}

function messageOf({ to, subject, text }: Mail, date: Date): string {
  return [
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    `To: ${headerText(to)}`,
    `Subject: ${headerText(subject)}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    text,
  ].join('\r\n')
}

/** Replaces line breaks, which would end the header. */
const headerText = (text: string) => text.replace(/[\r\n]+/g, ' ')
