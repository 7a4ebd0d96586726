import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Failure, misused } from '../failure.ts'

/** Where questions are asked: the terminal of the program. */
export interface Terminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stderr: NodeJS.WritableStream & { isTTY?: boolean }
}

/**
 * Asks for something that nobody may see: typed without an echo, or the first line of what is piped in.
 *
 * @throws Failure where nothing comes, or it is interrupted
 */
export async function askSecret({ stdin, stderr }: Terminal, question: string): Promise<string> {
  const answer = stdin.isTTY
    ? await typed(stdin, stderr, question)
    : (await firstLine(stdin)).replace(/\r$/, '')
  if (answer === '')
    throw misused(`${question}: nothing came`, 'Type it, or pipe it to standard input.')
  return answer
}

/** Asks a yes or no question; no without a terminal. @throws Failure when it is interrupted */
export async function confirm({ stdin, stderr }: Terminal, question: string): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) return false
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } catch {
    throw interrupted()
  } finally {
    lines.close()
  }
}

async function typed(
  stdin: Terminal['stdin'],
  stderr: Terminal['stderr'],
  question: string,
): Promise<string> {
  stderr.write(`${question}: `)
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true })
  try {
    return await lines.question('')
  } catch {
    throw interrupted()
  } finally {
    lines.close()
    stderr.write('\n')
  }
}

/** A question ends without an answer by Ctrl-C only. */
const interrupted = () => new Failure('Interrupted', { ending: 'interrupted' })

async function firstLine(stdin: Terminal['stdin']): Promise<string> {
  let text = ''
  stdin.setEncoding('utf8')
  for await (const piece of stdin) {
    text += piece
    if (text.includes('\n')) break
  }
  return text.split('\n', 1)[0] ?? ''
}
