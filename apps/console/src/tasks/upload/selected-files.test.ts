import { expect, test } from 'vitest'
import { createFileSelection, toSelectedFile } from './selected-files.ts'

const chosen = (path: string) =>
  toSelectedFile(path, new File(['12'], path.split('/').at(-1) ?? ''))
const namesOf = (...paths: string[]) =>
  createFileSelection(paths.map(chosen)).sources.map(({ name }) => name)

test('the name of a folder becomes the task name and is removed from file names', () => {
  const choice = createFileSelection(
    ['monday/10.png', 'monday/9.png', 'monday/night/1.png'].map(chosen),
  )
  expect(choice).toMatchObject({ name: 'monday', size: 6, leftOut: 0 })
  expect(choice.sources.map(({ name }) => name)).toEqual(['9.png', '10.png', 'night/1.png'])
})

test('a common chain of folders is removed from file names', () => {
  expect(namesOf('a/b/1.png', 'a/b/2.png')).toEqual(['1.png', '2.png'])
  expect(namesOf('a/ab/1.png', 'a/a/1.png')).toEqual(['a/1.png', 'ab/1.png'])
  expect(namesOf('a/1.png', 'b/1.png')).toEqual(['a/1.png', 'b/1.png'])
})

test('a single file suggests its name', () => {
  expect(createFileSelection([chosen('drive.mp4')])).toMatchObject({ name: 'drive' })
  expect(createFileSelection([])).toMatchObject({ name: '', sources: [] })
})

test('files of the operating system are left out', () => {
  const choice = createFileSelection(
    ['m/.DS_Store', 'm/Thumbs.db', 'm/.git/x.png', 'm/1.png'].map(chosen),
  )
  expect(choice).toMatchObject({ leftOut: 3, name: 'm' })
})
