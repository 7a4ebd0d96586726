import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openLedger } from './ledger.ts'

const about = { from: 'https://one.example', to: 'https://two.example' }
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reticle-ledger-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
})

test('the next run knows all notes, with the last value of each member', async () => {
  const ledger = await openLedger(folder, about)
  await ledger.note('project', 7, { name: 'Roads', exporting: 'rq' })
  await ledger.note('project', 7, { exporting: null, to: 12 })
  await ledger.note('organization', 'acme corp', { to: 'acme corp' })
  const key = await ledger.keyOf('task', 3)
  const next = await openLedger(folder, about)
  expect(next.find('project', 7)).toEqual({ name: 'Roads', exporting: null, to: 12 })
  expect(await next.keyOf('task', 3)).toBe(key)
  expect(next.find('task', 4)).toEqual({})
  expect(next.all().map(({ kind, from }) => [kind, from])).toEqual([
    ['project', '7'],
    ['organization', 'acme corp'],
    ['task', '3'],
  ])
})

test('a line that a killed run wrote partially is dropped, and later lines can be read', async () => {
  const ledger = await openLedger(folder, about)
  await ledger.note('task', 1, { to: 2 })
  appendFileSync(join(folder, 'ledger.jsonl'), '{"kind":"task","from":2,"to')
  const next = await openLedger(folder, about)
  expect(next.find('task', 2)).toEqual({})
  await next.note('task', 3, { to: 4 })
  expect((await openLedger(folder, about)).find('task', 3)).toEqual({ to: 4 })
  expect(readFileSync(join(folder, 'ledger.jsonl'), 'utf8').split('\n')).toHaveLength(4)
})

test('a problem is recorded once per code until it is solved', async () => {
  const ledger = await openLedger(folder, about)
  const told = { what: 'changed', code: 'no_user', reason: 'anna' } as const
  await ledger.recordProblem('task', 1, told)
  await ledger.recordProblem('task', 1, { ...told, code: 'owner' })
  await ledger.recordProblem('task', 1, { ...told, reason: 'anna, bob' })
  expect(ledger.find('task', 1).told?.map(({ code, reason }) => `${code} ${reason}`)).toEqual([
    'owner anna',
    'no_user anna, bob',
  ])
  await ledger.removeProblem('task', 1, 'owner')
  await ledger.removeProblem('task', 1, 'never told')
  expect(ledger.find('task', 1).told).toHaveLength(1)
})

test('a ledger of another migration is rejected, and the error about invalid JSON names the line', async () => {
  await openLedger(folder, about)
  await expect(openLedger(folder, { ...about, to: 'https://three.example' })).rejects.toThrow(
    'another migration (https://one.example to https://two.example)',
  )
  appendFileSync(join(folder, 'ledger.jsonl'), 'no json\n')
  await expect(openLedger(folder, about)).rejects.toThrow('line 2: it is no JSON')
})
