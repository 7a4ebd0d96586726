import { describe, expect, test } from 'vitest'
import { kindOf } from './kind.ts'

const begins = {
  jpeg: '\xff\xd8\xff\xe0',
  png: '\x89PNG\r\n\x1a\n',
  webp: 'RIFF\x10\0\0\0WEBPVP8 ',
  gif: 'GIF89a',
  pdf: '%PDF-1.4',
  svg: '<svg xmlns="http://www.w3.org/2000/svg">',
}
const kind = (filename: string, media_type: string, is: keyof typeof begins) =>
  kindOf({ filename, media_type }, Buffer.from(begins[is], 'latin1'))

describe('a file whose name, declared type and content agree is accepted', () => {
  test.each([
    ['a.jpg', 'image/jpeg', 'jpeg'],
    ['a.jpeg', 'image/jpeg', 'jpeg'],
    ['A.JPG', 'IMAGE/JPEG', 'jpeg'],
    ['a.b.png', 'image/png', 'png'],
    ['a.png', 'image/png; name=a', 'png'],
    ['a.webp', 'image/webp', 'webp'],
    ['a.gif', 'image/gif', 'gif'],
    ['a.pdf', 'application/pdf', 'pdf'],
  ] as const)('%s as %s', (filename, media_type, is) => {
    const [type] = media_type.toLowerCase().split(';')
    expect(kind(filename, media_type, is)).toBe(type)
  })

  test('a file declared as application/octet-stream is accepted', () => {
    expect(kind('a.png', 'application/octet-stream', 'png')).toBe('image/png')
  })
})

test.each([
  [
    'another extension',
    'a.jpg',
    'image/png',
    'png',
    /named as image\/jpeg, but sent as image\/png/,
  ],
  [
    'another declaration',
    'a.png',
    'image/gif',
    'png',
    /named as image\/png, but sent as image\/gif/,
  ],
  ['a text', 'a.png', 'text/plain', 'png', /sent as text\/plain/],
  ['another content', 'a.png', 'image/png', 'jpeg', /content of the file is not image\/png/],
  ['a document called a picture', 'a.png', 'image/png', 'pdf', /content/],
  ['a picture that can run', 'a.svg', 'image/svg+xml', 'svg', /\*\.jpg, \*\.jpeg, \*\.png/],
  ['one that is dressed up', 'a.png', 'image/png', 'svg', /content/],
  ['no extension', 'png', 'image/png', 'png', /Files may be named/],
  ['an unknown extension', 'a.tiff', 'image/tiff', 'png', /Files may be named/],
] as const)('%s is rejected with an error of the field', (_, filename, media_type, is, text) => {
  expect(() => kind(filename, media_type, is)).toThrow(
    expect.objectContaining({ kind: 'invalid', body: { file: [expect.stringMatching(text)] } }),
  )
})

test('a file shorter than any signature is rejected', () => {
  const empty = () => kindOf({ filename: 'a.webp', media_type: 'image/webp' }, Buffer.from('RIFF'))
  expect(empty).toThrow(expect.objectContaining({ kind: 'invalid' }))
})
