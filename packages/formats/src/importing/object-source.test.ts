import { expect, test } from 'vitest'
import { attributesText, documentText, importVocFiles, objectText } from '../testing/voc.ts'
import { readSource } from './object-source.ts'

test('the reason contains at most 100 characters of an unknown source', () => {
  const reasons: string[] = []
  expect(readSource('x'.repeat(101), (reason) => reasons.push(reason))).toBe('manual')
  expect(reasons).toEqual([`the source "${'x'.repeat(100)}…" is unknown, it becomes manual`])
})

test('a Pascal VOC import reports an unknown source, which becomes manual', async () => {
  const sourced = (source: string) => objectText({ name: 'car', more: attributesText({ source }) })
  const { shapes, report } = await importVocFiles({
    'a.xml': documentText(sourced('semi-auto') + sourced('Ground truth')),
  })
  expect(shapes.map(({ source }) => source)).toEqual(['semi-auto', 'manual'])
  const reason = 'the source "Ground truth" is unknown, it becomes manual'
  expect(report.entries).toMatchObject([{ kind: 'converted', code: 'unknown-source', reason }])
})
