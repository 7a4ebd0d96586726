/** Media families by name endings, the same as CVAT's, because a listing opens no file. */
const families: Record<string, readonly string[]> = {
  image: ['jpg', 'jpeg', 'png', 'webp', 'tif', 'tiff', 'gif', 'bmp', 'avif', 'heic'],
  video: ['mp4', 'm4v', 'mov', 'avi', 'mkv', 'webm', 'mpg', 'mpeg', 'flv', 'wmv'],
  archive: ['zip', 'tar', 'gz', 'tgz', 'bz2', 'xz', '7z', 'rar', 'zst'],
  pdf: ['pdf'],
}

export function familyOf(name: string): string {
  const end = /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.entries(families).find(([, ends]) => ends.includes(end))?.[0] ?? 'unknown'
}
