use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};

use super::Trail;
use super::failure::Failure;
use super::reader::NodeReader;
use crate::yaml::{Data, Node};

/// A variant of an enum: a string, or a map with one key that holds the content.
pub(super) struct VariantReader<'de, 't> {
    pub(super) reader: NodeReader<'de, 't>,
    pub(super) name: &'de str,
    pub(super) content: Option<&'de Node>,
}

impl<'de> VariantReader<'de, '_> {
    fn content<T>(
        self,
        read: impl for<'u> FnOnce(NodeReader<'de, 'u>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(content) = self.content else {
            let (node, name) = (self.reader.node, self.name);
            let help = format!("write `{name}: …`");
            return Err(self.reader.report(node.span, format!("`{name}` needs a value"), Some(help)));
        };
        let trail = Trail::Key(self.reader.trail, self.name);
        let reader = self.reader.below(content, &trail);
        reader.located(read(reader))
    }
}

impl<'de> EnumAccess<'de> for VariantReader<'de, '_> {
    type Error = Failure;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Failure> {
        let variant = seed.deserialize(BorrowedStrDeserializer::<Failure>::new(self.name))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for VariantReader<'de, '_> {
    type Error = Failure;

    fn unit_variant(self) -> Result<(), Failure> {
        match self.content {
            None | Some(Node { data: Data::Null, .. }) => Ok(()),
            Some(content) => {
                let (message, help) =
                    (format!("`{}` takes no value", self.name), format!("write `{}` alone", self.name));
                Err(self.reader.report(content.span, message, Some(help)))
            }
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Failure> {
        self.content(|reader| seed.deserialize(reader))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Failure> {
        self.content(|reader| reader.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        self.content(|reader| reader.fields(fields, visitor))
    }
}
