/** Where the rows out of sight would be. */
export function Space({ height }: { height: number }) {
  return height > 0 && <tr style={{ height }} />
}
