import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Failure, usageFailure } from '../failures/failure.ts'

/** Terminal for prompts. */
export interface PromptTerminal {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  stderr: NodeJS.WritableStream & { isTTY?: boolean }
}

/**
 * Prompts for a secret without an echo, or reads the first line of piped input.
 *
 * @throws Failure for empty input or an interruption
 */
export async function promptSecret(
  { stdin, stderr }: PromptTerminal,
  question: string,
): Promise<string> {
  const answer = stdin.isTTY
    ? await promptHidden(stdin, stderr, question)
    : (await firstLine(stdin)).replace(/\r$/, '')
  if (answer === '')
    throw usageFailure(`${question}: nothing came`, 'Type it, or pipe it to standard input.')
  return answer
}

/** Prompts for a yes or no; returns no without a terminal. @throws Failure on an interruption */
export async function promptConfirmation(
  { stdin, stderr }: PromptTerminal,
  question: string,
): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) return false
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } catch {
    throw interruptedFailure()
  } finally {
    lines.close()
  }
}

async function promptHidden(
  stdin: PromptTerminal['stdin'],
  stderr: PromptTerminal['stderr'],
  question: string,
): Promise<string> {
  stderr.write(`${question}: `)
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true })
  try {
    return await lines.question('')
  } catch {
    throw interruptedFailure()
  } finally {
    lines.close()
    stderr.write('\n')
  }
}

/** Only Ctrl-C ends a prompt without input. */
const interruptedFailure = () => new Failure('Interrupted', { ending: 'interrupted' })

async function firstLine(stdin: PromptTerminal['stdin']): Promise<string> {
  let text = ''
  stdin.setEncoding('utf8')
  for await (const piece of stdin) {
    text += piece
    if (text.includes('\n')) break
  }
  return text.split('\n', 1)[0] ?? ''
}
