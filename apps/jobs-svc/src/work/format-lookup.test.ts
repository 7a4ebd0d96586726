import { describe, expect, test } from 'vitest'
import { chooseExporter, chooseImporter } from './format-lookup.ts'

const refusal = (text: string) =>
  expect.objectContaining({
    kind: 'invalid',
    code: 'format_unknown',
    body: [expect.stringMatching(text)],
  })

describe('the refusal of an unknown format names the nearest one and all available ones', () => {
  test.each([
    ['COCO', "^Unknown format specified for the request 'COCO'. Did you mean 'COCO 1.0'[?] "],
    ['Yolo', "'Yolo'. Did you mean 'YOLO 1.1'[?] Formats for export: COCO 1.0, .*YOLO 1.1[.]$"],
    ['CVAT', "'CVAT'. Did you mean 'Service 1.1'[?]"],
    [
      'Datumaro 1.0',
      "^Unknown format specified for the request 'Datumaro 1.0'. Formats for export: ",
    ],
    [undefined, '^Unknown format specified for the request. Formats for export: COCO 1.0, '],
  ])('of an export: %s', (name, expected) => {
    expect(() => chooseExporter(name, '2d')).toThrow(refusal(expected))
  })

  test.each([
    ['COCO', "^Unknown input format 'COCO'. Did you mean 'COCO 1.0'[?] Formats for import: COCO "],
    ['pascal', "Did you mean 'Pascal VOC 1.1'[?]"],
    ['q'.repeat(9999), "^Unknown input format 'q{100}'. Formats for import: "],
  ])('of an import: %.20s', (name, expected) => {
    expect(() => chooseImporter(name, '2d')).toThrow(refusal(expected))
  })
})
