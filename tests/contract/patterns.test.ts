import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { dynamic, exceptions, type PatternException } from './pattern-exceptions.ts'
import { isPlainlyLinear, patternChecker, patternsOf } from './patterns.ts'
import { readSources } from './sources.ts'

/** Every regular expression of the sources takes time linear in the length of its input. */

const sources = readSources().filter(
  ({ room, isTest }) => !isTest && /^(apps|packages|scripts|deploy)\b/.test(room),
)
const found = sources.map(patternsOf)
const constant = found.flatMap((one) => one.constant)
const isSame = (one: PatternException, other: { path: string; text: string }) =>
  one.path === other.path && one.text === other.text

test('every pattern is linear, except the reviewed ones', { timeout: 900_000 }, async () => {
  const check = patternChecker()
  const bad: string[] = []
  for (const pattern of constant) {
    if (exceptions.some((one) => isSame(one, pattern))) continue
    const verdict = check(pattern)
    if (verdict !== 'linear') bad.push(`${pattern.at}: ${pattern.text} is ${verdict}`)
    await setImmediate() // lets the test runner handle its messages
  }
  expect(bad).toEqual([])
  expect(constant.length).toBeGreaterThan(300)
})

test('every exception exists in its file and is listed once', () => {
  const lost = exceptions.filter((one) => !constant.some((pattern) => isSame(one, pattern)))
  expect(lost).toEqual([])
  const keys = exceptions.map(({ path, text }) => `${path} ${text}`)
  expect(new Set(keys).size).toBe(keys.length)
  expect(exceptions.filter(({ why }) => why.length < 20)).toEqual([])
})

test('the number of patterns built at run time matches the list', () => {
  const counts: Record<string, number> = {}
  for (const { path } of found.flatMap((one) => one.dynamic)) counts[path] = (counts[path] ?? 0) + 1
  const listed = Object.entries(dynamic).map(([path, { count }]) => [path, count])
  expect(counts).toEqual(Object.fromEntries(listed))
})

describe('the checker of patterns', () => {
  const judged = (text: string) => {
    const check = patternChecker()
    return patternsOf({ path: 'planted.ts', text }).constant.map((one) => [one.at, check(one)])
  }

  test.each([
    ['an exponential pattern', 'const a = /^(a+)+$/'],
    ['alternatives that match the same', String.raw`const a = /^(?:a|\w)*$/`],
    ['a quadratic pattern', String.raw`const a: RegExp = /\s*;\s*q\s*=/i`],
    ['neighbours that match the same', String.raw`const a = /^\d+\.?\d*$/`],
    ['a pattern that may begin anywhere', String.raw`text.replace(/\/+$/, '')`],
    ['a cubic pattern', String.raw`const a = /^\s*(\d*)\s*-\s*(\d*)\s*$/`],
    ['a text that becomes a pattern', `const a = new RegExp('^(a+)+$', 'i')`],
    ['a call without new', `const a = RegExp('^(a*)*$')`],
  ])('it finds %s', (_, text) => {
    expect(judged(text)).toEqual([['planted.ts:1', 'not linear']])
  })

  test('it reads patterns from the syntax tree, not from comments, strings or divisions', () => {
    const text = "// /(a+)+$/\nconst a = '/(b+)+$/'\nconst b = c / d / e\nconst f = /^x+$/"
    expect(judged(text)).toEqual([['planted.ts:4', 'linear']])
  })

  test('it lists a pattern that is built at run time', () => {
    const text = "const a = new RegExp('^' + b)"
    expect(patternsOf({ path: 'planted.ts', text }).dynamic).toHaveLength(1)
  })

  test.each([
    [/^a+b|b+c/, false],
    [/(a{0,30}){0,30}/, false],
    [/^(a*){1,5}$/, false],
    [/^(?:a|aa)*$/, false],
    [/^a+$/m, false],
    [/(?=a+)b/, false],
    [/^(?:W\/)?[a-z]+$/, true],
    [/a{1,40}b/, true],
    [/[+*]/, true],
  ])('it recognizes patterns that need no search for attacks: %s', (pattern, isPlain) => {
    const { source, flags } = pattern
    expect(isPlainlyLinear({ source, flags, text: String(pattern) })).toBe(isPlain)
  })
})
