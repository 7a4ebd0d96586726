import { expect, test } from 'vitest'
import { createImageFinder, createMemberFinder, locatedImages } from './members.ts'

const names = ['images/train/a.jpg', 'images/val/a.jpg', 'images/train/b/c.PNG', 'train.txt']

test('a member is found in the most likely folder, then by a unique path ending', () => {
  const { find } = createMemberFinder(names)
  expect(find(['a.jpg'], ['images/val/', 'images/'], [])).toBe('images/val/a.jpg')
  expect(find(['c.PNG'], [''], [])).toBe('images/train/b/c.PNG')
  expect(find(['a.jpg'], [''], [])).toBeUndefined()
  expect(find(['a.jpg'], [''], ['val'])).toBe('images/train/a.jpg')
})

test('a member is found by a percent-encoded path, with the literal path first', () => {
  const { find } = createMemberFinder([
    'images/my picture (3).png',
    'images/a b.png',
    'images/a%20b.png',
  ])
  expect(find(['my%20picture%20(3).png'], ['images/'], [])).toBe('images/my picture (3).png')
  expect(find(['a%20b.png'], ['images/'], [])).toBe('images/a%20b.png')
  expect(find(['x/a%20c.png'], ['images/'], [])).toBeUndefined()
})

test('an image is found without its extension', () => {
  const { find } = createImageFinder([...names, 'images/train/a.txt'])
  expect(find(['a'], ['images/train/'], [])).toBe('images/train/a.jpg')
  expect(find(['b/c'], ['images/train/'], [])).toBe('images/train/b/c.PNG')
  expect(find(['train'], [''], [])).toBeUndefined()
})

test('unannotated images may be missing from an archive, but not all images', () => {
  const referenced = (given: string, member: string | undefined, isAnnotated: boolean) => ({
    given,
    member,
    isAnnotated,
    name: () => given,
  })
  const [there, missing] = [referenced('a', 'images/a', true), referenced('b', undefined, false)]
  expect(locatedImages([there, missing], 'list.txt')).toEqual([{ name: 'a', member: 'images/a' }])
  expect(() => locatedImages([missing], 'list.txt')).toThrow(
    'list.txt: none of its images is in the archive: media is required',
  )
  expect(() => locatedImages([there, referenced('b', undefined, true)], 'list.txt')).toThrow(
    'list.txt: 1 images that have annotations are not in the archive: b',
  )
})
