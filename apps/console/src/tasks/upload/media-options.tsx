import type { DataParameters, TaskCreate } from '@reticle/sdk'
import { useId } from 'react'
import { Field, formText } from '../../ui/form.tsx'

/** Options for creating frames from the files. */
export type MediaOptions = Pick<DataParameters, 'image_quality' | 'sorting_method'>

const sortings = {
  lexicographical: 'by name',
  natural: 'by name, numbers by value',
  predefined: 'in the order of selection',
  random: 'random',
} as const

/** Renders the rarely needed options. */
export function MediaFields({ isTaskNew }: { isTaskNew: boolean }) {
  const id = useId()
  return (
    <details>
      <summary>Options</summary>
      <div className="options">
        {isTaskNew && (
          <Field
            label="Frames in a job"
            name="segment_size"
            type="number"
            min={0}
            placeholder="all"
            hint="One user works on each job."
          />
        )}
        <Field
          label="Image quality"
          name="image_quality"
          type="number"
          min={1}
          max={100}
          placeholder="70"
          hint="Quality of the displayed images in percent. The originals are kept."
        />
        <div className="field">
          <label htmlFor={id}>Order of the frames</label>
          <select id={id} name="sorting_method" defaultValue="natural">
            {Object.entries(sortings).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
      </div>
    </details>
  )
}

export function mediaOf(form: FormData): MediaOptions {
  const quality = Number(formText(form, 'image_quality'))
  const sorting = formText(form, 'sorting_method')
  return {
    ...(quality > 0 && { image_quality: quality }),
    ...(isSorting(sorting) && { sorting_method: sorting }),
  }
}

const isSorting = (word: string): word is keyof typeof sortings => word in sortings

export function segmentOf(form: FormData): Pick<TaskCreate, 'segment_size'> {
  const size = Number(formText(form, 'segment_size'))
  return size > 0 ? { segment_size: size } : {}
}
