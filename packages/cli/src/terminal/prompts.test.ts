import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { promptConfirmation, promptSecret } from './prompts.ts'

/** Fake terminal that records its output. */
function terminal(isTTY: boolean) {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()]
  let seen = ''
  stderr.on('data', (piece) => {
    seen += piece
  })
  return {
    stdin: Object.assign(stdin, { isTTY }),
    stderr: Object.assign(stderr, { isTTY }),
    seen: () => seen,
  }
}

test('a secret is typed without an echo', async () => {
  const { seen, ...context } = terminal(true)
  const answer = promptSecret(context, 'Access token')
  context.stdin.write('hidden one\r')
  expect(await answer).toBe('hidden one')
  expect(seen()).toBe('Access token: \n')
})

test('a secret is the first line of piped input', async () => {
  const { seen, ...context } = terminal(false)
  const answer = promptSecret(context, 'Access token')
  context.stdin.end('hidden one\r\nmore\n')
  expect(await answer).toBe('hidden one')
  expect(seen()).toBe('')
  const { seen: _, ...silent } = terminal(false)
  silent.stdin.end()
  await expect(promptSecret(silent, 'Access token')).rejects.toMatchObject({ ending: 'usage' })
})

test('Ctrl-C at a prompt is an interruption', async () => {
  const { seen: _, ...context } = terminal(true)
  const answer = promptSecret(context, 'Access token')
  context.stdin.write('\u0003')
  await expect(answer).rejects.toMatchObject({ ending: 'interrupted' })
})

test.each([
  ['y', true],
  ['YES', true],
  ['', false],
  ['no', false],
])('"%s" to a question means %s', async (typed, isMeant) => {
  const { seen, ...context } = terminal(true)
  const answer = promptConfirmation(context, 'Delete it?')
  context.stdin.write(`${typed}\r`)
  expect(await answer).toBe(isMeant)
  expect(seen()).toContain('Delete it? [y/N]')
})

test('no prompt is shown without a terminal', async () => {
  const { seen, ...context } = terminal(false)
  expect(await promptConfirmation(context, 'Delete it?')).toBe(false)
  expect(seen()).toBe('')
})
