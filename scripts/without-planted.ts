import ts from 'typescript';

/** The text of a node without planted bugs, or its value if only these decide it. */
type Folded = string | boolean;

const module = /^import \{ ?planted ?\} from (['"])[^'"]*\/planted\.[jt]s\1;\n/m;

/**
 * A program as it is if `planted(…)` is false everywhere. What remains is left as it was written.
 *
 * @throws Error for a call in another place than a condition
 */
export function withoutPlanted(program: string): string {
  if (!module.test(program)) return program;
  const source = ts.createSourceFile('program.ts', program.replace(module, ''), ts.ScriptTarget.Latest, true);

  /** The text of a node in which some of its parts are replaced. */
  const textOf = (node: ts.Node): string => {
    const parts: string[] = [];
    let end = node.getStart();
    node.forEachChild((child) => {
      const folded = fold(child);
      if (typeof folded === 'boolean') throw new Error(`A planted bug must be in a condition: ${node.getText()}`);
      parts.push(source.text.slice(end, child.getStart()), folded);
      end = child.getEnd();
    });
    return parts.join('') + source.text.slice(end, node.getEnd());
  };

  const fold = (node: ts.Node): Folded => {
    if (!node.getText().includes('planted(')) return node.getText();
    if (ts.isCallExpression(node) && node.expression.getText() === 'planted') return false;
    if (ts.isParenthesizedExpression(node)) {
      const inner = fold(node.expression);
      return typeof inner === 'boolean' ? inner : `(${inner})`;
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      const operand = fold(node.operand);
      return typeof operand === 'boolean' ? !operand : textOf(node);
    }
    if (ts.isConditionalExpression(node)) {
      const condition = fold(node.condition);
      return typeof condition === 'boolean' ? fold(condition ? node.whenTrue : node.whenFalse) : textOf(node);
    }
    if (ts.isIfStatement(node)) {
      const condition = fold(node.expression);
      if (typeof condition === 'string') return textOf(node);
      const rest = condition ? node.thenStatement : node.elseStatement;
      return rest ? fold(rest) : '';
    }
    if (ts.isTemplateExpression(node)) return textOf(node).replaceAll(/\$\{(['"])([^`\\]*?)\1\}/g, '$2');
    return ts.isBinaryExpression(node) ? foldBinary(node) : textOf(node);
  };

  /** `false && x` and `x && true`, and the same with `||`. */
  const foldBinary = (node: ts.BinaryExpression): Folded => {
    const [left, right] = [fold(node.left), fold(node.right)];
    const isAnd = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
    if (!isAnd && node.operatorToken.kind !== ts.SyntaxKind.BarBarToken) return textOf(node);
    if (typeof left === 'boolean') return left === isAnd ? right : left;
    return right === isAnd ? left : textOf(node);
  };

  return source.text.slice(0, source.getStart()) + textOf(source);
}
