import { expect, test } from 'vitest'
import { formatAttachment } from './content-disposition.ts'

test.each([
  ['task_12_coco 1.0.zip', 'task_12_coco 1.0.zip', 'task_12_coco%201.0.zip'],
  ['Улица (1).zip', '_____ _1_.zip', '%D0%A3%D0%BB%D0%B8%D1%86%D0%B0%20%281%29.zip'],
  ['..\r\nX: "y".zip', '_X_ _y_.zip', '..X%3A%20%22y%22.zip'],
  ['noextension', 'noextension.bin', 'noextension'],
  ['.hidden', '_hidden.bin', '.hidden'],
])('%j is offered as %j', (name, plain, exact) => {
  expect(formatAttachment(name)).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${exact}`)
})

test('the plain name is short enough for every file system', () => {
  const [, plain = ''] = /filename="([^"]*)"/.exec(formatAttachment(`${'x'.repeat(300)}.zip`)) ?? []
  expect(plain).toHaveLength(254)
  expect(plain.endsWith('.zip')).toBe(true)
})
