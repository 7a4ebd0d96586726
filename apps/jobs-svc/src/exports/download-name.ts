import type { Facts } from '@reticle/contracts/rest/facts'

interface Named {
  target: 'project' | 'task' | 'job'
  target_id: number
  format: string
  save_images: boolean
  facts: Pick<Facts, 'updated_date'>
}

/** Returns the default file name of an export, from its object, content, date and format. */
export function defaultName({ target, target_id, format, save_images, facts }: Named): string {
  const what = save_images ? 'dataset' : 'annotations'
  const date = facts.updated_date.slice(0, 19).replace(/[-T:]/g, '_')
  return `${target}_${target_id}_${what}_${date}_${format}.zip`.toLowerCase()
}
